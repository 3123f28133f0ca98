// How bodies with a response model vibrate: one mode at a time, far slower and larger than it is.
import * as THREE from 'three';

const STILL = new THREE.Color(0x3b6fb6), MOST = new THREE.Color(0xd7301f);

export class ModeShapes {
    constructor(app) {
        this.app = app;
        this.models = null; // nothing asked for yet
    }

    // A folder in the panels. Shapes come from the server when it is opened for the first time.
    setScene(gui, hello) {
        this.clear();
        this.folder?.destroy();
        this.models = null;
        const known = hello.scenes?.some((s) => s.name === hello.choice);
        this.address = 'modes' + (known ? `/${hello.choice}` : '') + location.search;
        this.folder = gui.addFolder('Vibration').close();
        this.folder.onOpenClose((folder) => (folder._closed ? this.clear() : this.open()));
    }

    async open() {
        if (this.models === null) await this.load();
        if (this.models.length > 0 && this.shown) this.show();
    }

    async load() {
        const folder = this.folder;
        this.models = [];
        const answer = await fetch(this.address);
        if (folder !== this.folder) return; // another scene meanwhile
        if (answer.ok) this.models = (await answer.json()).models;
        if (this.models.length === 0) {
            const hint = document.createElement('p');
            hint.className = 'hint';
            hint.textContent = 'No body of this scene has a vibration model.';
            folder.$children.append(hint);
            return;
        }
        this.shown = { model: 0, mode: 1, size: 0.1, speed: 1 };
        const names = Object.fromEntries(this.models.map((m, i) => [`${m.name || 'body'} ${m.body}`, i]));
        if (this.models.length > 1) folder.add(this.shown, 'model', names).name('body').onChange(() => this.show());
        const most = Math.max(...this.models.map((m) => m.hertz.length));
        this.mode = folder.add(this.shown, 'mode', 1, most, 1).onChange(() => this.show());
        folder.add(this.shown, 'size', 0, 0.3).domElement.title = 'The largest displacement, of the size of the body';
        folder.add(this.shown, 'speed', 0.1, 4).domElement.title = 'Swings in a second; see the true frequency beside the mode';
    }

    clear() {
        if (!this.mesh) return;
        this.mesh.geometry.dispose();
        this.app.view.scene.remove(this.mesh);
        this.mesh = null;
        this.showBodies(true);
    }

    // What vibrates is inside of what does not, half of the time.
    showBodies(isShown) {
        const { instances } = this.app.view;
        for (const group of instances.groups.values()) group.mesh.visible = isShown && (!group.isTrigger || instances.triggersShown);
    }

    show() {
        this.clear();
        const model = this.models[this.shown.model];
        const mode = Math.min(this.shown.mode, model.hertz.length) - 1;
        this.mode.name(`mode: ${model.hertz[mode].toPrecision(3)} Hz`);
        this.rest = Float32Array.from(model.vertices, (x) => x * model.unit);
        this.shape = Float32Array.from(model.shapes[mode], (x) => x / model.steps);
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute('position', new THREE.BufferAttribute(this.rest.slice(), 3));
        geometry.setAttribute('color', new THREE.BufferAttribute(colorsOf(this.shape), 3));
        geometry.setIndex(model.triangles);
        geometry.computeBoundingSphere();
        this.reach = geometry.boundingSphere.radius;
        this.mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ vertexColors: true, flatShading: true, side: THREE.DoubleSide, roughness: 0.8 }));
        this.mesh.frustumCulled = false;
        this.body = model.body;
        this.app.view.scene.add(this.mesh);
        this.showBodies(false);
    }

    draw(now) {
        if (!this.mesh || !this.app.model.bodies[this.body]) return;
        const pose = this.app.model.pose(this.body);
        this.mesh.position.set(pose[0], pose[1], pose[2]);
        this.mesh.quaternion.set(pose[3], pose[4], pose[5], pose[6]);
        const way = this.shown.size * this.reach * Math.sin(0.002 * Math.PI * this.shown.speed * now);
        const position = this.mesh.geometry.attributes.position;
        for (let i = 0; i < this.rest.length; ++i) position.array[i] = this.rest[i] + way * this.shape[i];
        position.needsUpdate = true;
    }
}

function colorsOf(shape) {
    const colors = new Float32Array(shape.length), color = new THREE.Color();
    for (let i = 0; i < shape.length; i += 3) {
        color.lerpColors(STILL, MOST, Math.hypot(shape[i], shape[i + 1], shape[i + 2]));
        color.toArray(colors, i);
    }
    return colors;
}
