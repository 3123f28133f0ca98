// Colours, overlays, settings and parameters.
import GUI from 'lil-gui';
import { MODES } from './colors.js';

const SOLVERS = { substep: 0, pgs: 1, direct: 2 };

export class Panels {
    constructor(place, app) {
        this.app = app;
        this.gui = new GUI({ container: place, title: 'View' });
        this.shown = { color: 'body', contacts: false, graph: false, bounds: false, joints: false };
        const modes = Object.entries(MODES).filter(([, mode]) => app.isLive || !mode.wants);
        this.color = this.gui
            .add(this.shown, 'color', Object.fromEntries(modes.map(([key, mode]) => [mode.label, key])))
            .name('colour by')
            .onChange((mode) => app.setMode(mode));
        if (!app.isLive) return;
        for (const [key, name] of [
            ['contacts', 'contacts, forces'],
            ['graph', 'contact graph'],
            ['bounds', 'bounds'],
            ['joints', 'joints'],
        ])
            this.gui
                .add(this.shown, key)
                .name(name)
                .onChange((value) => app.source.want(key, value));
    }

    setScene(hello) {
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
        const values = {};
        const folder = (this.settings = this.gui.addFolder('World').close());
        for (const s of hello.settings) {
            const isSwitch = s.lower === 0 && s.upper === 1 && s.step === 1;
            values[s.name] = isSwitch ? s.value > 0.5 : s.value;
            const control =
                s.name === 'solver'
                    ? folder.add(values, s.name, SOLVERS)
                    : isSwitch
                      ? folder.add(values, s.name)
                      : folder.add(values, s.name, s.lower, s.upper, s.step);
            if (s.restarts) control.name(`${s.name} ⟲`).domElement.title = 'starts the scene again';
            const send = (value) => this.app.source.send({ do: 'setting', text: s.name, value: Number(value) });
            if (isSwitch || s.restarts) control.onChange(send);
            else control.onFinishChange(send);
        }
    }
}
