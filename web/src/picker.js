// The built-in scenes, to choose from.
export class ScenePicker {
    constructor(dialog, app) {
        this.dialog = dialog;
        this.app = app;
        this.list = dialog.querySelector('#scenes');
        document.getElementById('scene').onclick = () => dialog.showModal();
        dialog.querySelector('#picker_close').onclick = () => dialog.close();
        dialog.addEventListener('click', (e) => e.target === dialog && dialog.close());
        dialog.querySelector('#find').oninput = (e) => this.find(e.target.value.toLowerCase());
    }

    setScenes(scenes) {
        if (this.list.childElementCount === scenes.length) return;
        this.list.replaceChildren(
            ...scenes.map((scene) => {
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
                button.dataset.words = `${scene.name} ${scene.description}`.toLowerCase();
                button.onclick = () => {
                    this.app.source.send({ do: 'load', text: scene.name, parameters: {} });
                    this.dialog.close();
                };
                return button;
            }),
        );
    }

    find(word) {
        for (const button of this.list.children) button.hidden = !button.dataset.words.includes(word);
    }
}
