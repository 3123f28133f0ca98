// Colours, overlays, settings and parameters.
import GUI from 'lil-gui';
import { MODES } from './colors.js';

export class Panels {
    constructor(place, app) {
        this.app = app;
        this.gui = new GUI({ container: place, title: 'View' });
        this.shown = { color: 'body', triggers: true };
        this.color = this.gui.add(this.shown, 'color', []).name('colour by').onChange((mode) => app.setMode(mode));
        this.offerModes();
        this.gui.add(this.shown, 'triggers').onChange((value) => app.view.showTriggers(value));
        for (const [key, name, tip] of [
            ['contacts', 'contacts, forces', 'Red crosses; blue lines are forces, the strongest as long as a body'],
            ['friction', 'friction', 'A ring is all that friction could give, the line what it gives: green holds, red slides'],
            ['graph', 'contact graph', 'Grey: near, green: touching, pink: merged'],
            ['welds', 'weak welds', 'About to break: merged contacts that use more than half of what they could hold: yellow to red'],
            ['bounds', 'bounds', 'Orange: awake, grey: asleep'],
            ['joints', 'joints', 'Violet from the bodies to the joint; red is a gap'],
        ]) {
            if (!app.source.overlays.includes(key)) continue;
            this.shown[key] = false;
            const control = this.gui.add(this.shown, key).name(name).onChange((value) => app.source.want(key, value));
            control.domElement.title = tip;
        }
        if (app.source.overlays.length === 0) this.addHint();
        if (innerWidth < 900) this.gui.close(); // there the picture is worth more
    }

    // Nobody looks for what is not offered.
    addHint() {
        const hint = document.createElement('p');
        hint.className = 'hint';
        hint.textContent = 'Contacts, joints, forces and more are in recordings made with --record-details all.';
        this.gui.$children.append(hint);
    }

    offerModes() {
        this.color.options(Object.fromEntries(Object.entries(MODES).map(([key, mode]) => [mode.label, key])));
        // The list is a new one, which knows nothing of before.
        this.color = this.gui.controllers.find((c) => c.property === 'color');
        this.color.name('colour by').onChange((mode) => this.app.setMode(mode));
    }

    showMode(mode) {
        if (this.color.getValue() === mode) return;
        this.shown.color = mode;
        this.color.updateDisplay();
    }

    setScene(hello) {
        this.offerModes();
        this.parameters?.destroy();
        this.settings?.destroy();
        if (hello.parameters.length > 0) this.addParameters(hello);
        this.addSettings(hello);
    }

    addParameters(hello) {
        const values = {};
        const folder = (this.parameters = this.gui.addFolder('Scene'));
        for (const p of hello.parameters) {
            values[p.name] = p.value;
            const control = folder.add(values, p.name, p.lower, p.upper, p.is_whole ? 1 : undefined);
            control.domElement.title = p.description;
        }
        const load = () => this.app.source.send({ do: 'load', text: hello.choice, parameters: values });
        folder.add({ load }, 'load').name('start with these');
    }

    addSettings(hello) {
        const folders = new Map();
        this.settings = this.gui.addFolder('World').close();
        // What belongs to no family comes first, not between the folders.
        const isLoose = (s) => s.family === 'world';
        for (const s of [...hello.settings.filter(isLoose), ...hello.settings.filter((s) => !isLoose(s))]) {
            if (!folders.has(s.family)) folders.set(s.family, s.family === 'world' ? this.settings : this.settings.addFolder(s.family).close());
            this.addSetting(folders.get(s.family), s);
        }
    }

    addSetting(folder, s) {
        const values = { [s.name]: s.is_switch ? s.value > 0.5 : Number(s.value.toPrecision(6)) };
        const choices = Object.fromEntries(s.choices.map((choice, i) => [choice, i]));
        const range = s.is_switch ? [] : s.choices.length > 0 ? [choices] : [s.lower, s.upper, s.step || undefined];
        const control = folder.add(values, s.name, ...range);
        const prefix = { merging: 'merge_', response: 'response_', workers: 'workers_' }[s.family] ?? '';
        const short = s.name.startsWith(prefix) ? s.name.slice(prefix.length) : s.name; // the folder says the rest
        control.name(short.replaceAll('_', ' ') + (s.restarts ? ' ⟲' : ''));
        control.domElement.title = s.name + (s.restarts ? ': starts the scene again' : '');
        const send = (value) => this.app.source.send({ do: 'setting', text: s.name, value: Number(value) });
        if (s.is_switch || s.choices.length > 0) control.onChange(send);
        else control.onFinishChange(send);
    }
}
