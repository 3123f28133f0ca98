// The built-in scenes, to choose from: by family, or by a word.
export class ScenePicker {
    constructor(dialog, app) {
        this.dialog = dialog;
        this.app = app;
        this.list = dialog.querySelector('#scenes');
        this.field = dialog.querySelector('#find');
        this.nothing = dialog.querySelector('#nothing');
        document.getElementById('scene').onclick = () => this.open();
        dialog.querySelector('#picker_close').onclick = () => dialog.close();
        dialog.addEventListener('click', (e) => e.target === dialog && dialog.close());
        this.field.oninput = () => this.find();
        this.field.onkeydown = (e) => {
            if (e.key === 'Enter') this.list.querySelector('section:not([hidden]) button:not([hidden])')?.click();
            if (e.key === 'Escape') dialog.close(); // which the field would take for itself
        };
    }

    open() {
        this.field.value = '';
        this.find();
        this.dialog.showModal();
        this.list.querySelector('.on')?.scrollIntoView({ block: 'center' });
    }

    setScenes({ scenes, families, choice }) {
        this.list.replaceChildren(
            ...families.map((family) => {
                const section = document.createElement('section');
                const title = document.createElement('h3');
                title.textContent = family;
                const grid = document.createElement('div');
                grid.append(...scenes.filter((s) => s.family === family).map((scene) => this.card(scene, choice)));
                section.append(title, grid);
                return section;
            }),
        );
    }

    card(scene, choice) {
        const button = document.createElement('button');
        const image = document.createElement('img');
        image.loading = 'lazy';
        image.alt = '';
        image.src = `thumbnail/${scene.name}${location.search}`;
        const name = document.createElement('b');
        name.textContent = scene.name;
        const text = document.createElement('span');
        text.textContent = scene.description;
        button.append(image, name, text);
        button.title = scene.description;
        button.classList.toggle('on', scene.name === choice);
        button.dataset.words = `${scene.name} ${scene.name.replaceAll('_', ' ')} ${scene.family} ${scene.description}`.toLowerCase();
        button.onclick = () => {
            this.app.source.send({ do: 'load', text: scene.name, parameters: {} });
            this.app.notice(`loading ${scene.name} …`, 10);
            this.dialog.close();
        };
        return button;
    }

    // Every word must be there, in any order.
    find() {
        const words = this.field.value.toLowerCase().split(/\s+/);
        let count = 0;
        for (const section of this.list.querySelectorAll('section')) {
            let shown = 0;
            for (const button of section.querySelectorAll('button')) {
                button.hidden = !words.every((word) => button.dataset.words.includes(word));
                shown += button.hidden ? 0 : 1;
            }
            section.hidden = shown === 0;
            count += shown;
        }
        this.nothing.hidden = count > 0;
    }
}
