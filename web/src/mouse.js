// What the mouse does to bodies: drag, shoot, poke, switch magnets; a click chooses one.
import * as THREE from 'three';
import { DYNAMIC } from './model.js';

const CLICK = 5; // pixels: less is no drag

export class Mouse {
    constructor(app) {
        this.app = app;
        this.tool = 'grab';
        this.magnets = new Map();
        const canvas = (this.canvas = app.view.renderer.domElement);
        // Before the camera's controls, which must keep still while a body is dragged.
        canvas.addEventListener('pointerdown', (e) => this.down(e), { capture: true });
        canvas.addEventListener('pointermove', (e) => this.move(e));
        for (const kind of ['pointerup', 'pointercancel']) canvas.addEventListener(kind, (e) => this.up(e));
        canvas.addEventListener('pointermove', (e) => this.hover(e));
        canvas.addEventListener('contextmenu', (e) => e.preventDefault());
    }

    world(point) {
        const o = this.app.model.origin;
        return [point.x + o[0], point.y + o[1], point.z + o[2]];
    }

    down(e) {
        if (e.button !== 0 || e.shiftKey || e.ctrlKey) return;
        const { view } = this.app;
        this.start = [e.clientX, e.clientY];
        this.hit = view.pick(e.clientX, e.clientY);
        if (!this.app.isLive || this.tool !== 'grab' || !this.hit || this.hit.visual.type !== DYNAMIC) return;
        view.controls.enabled = false;
        this.canvas.style.cursor = 'grabbing';
        this.canvas.setPointerCapture(e.pointerId);
        const towards = view.camera.getWorldDirection(new THREE.Vector3());
        this.plane = new THREE.Plane().setFromNormalAndCoplanarPoint(towards, this.hit.point);
        view.overlays.drag = { body: this.hit.body, local: this.hit.local, target: this.hit.point.clone() };
        this.app.source.send({
            do: 'drag',
            body: this.hit.body,
            a: this.hit.local.toArray(),
            b: this.world(this.hit.point),
        });
    }

    move(e) {
        if (!this.plane) return;
        const target = this.app.view.ray(e.clientX, e.clientY).ray.intersectPlane(this.plane, new THREE.Vector3());
        if (!target) return;
        this.app.view.overlays.drag.target.copy(target);
        this.target = target; // sent once for each picture
    }

    // The cursor says what a press would do. A few times a second, since it looks at all bodies.
    hover(e) {
        if (this.plane || e.buttons || performance.now() - (this.hoveredAt ?? 0) < 80) return;
        this.hoveredAt = performance.now();
        const { app, canvas } = this;
        const hit = this.tool === 'shoot' ? null : app.view.pick(e.clientX, e.clientY);
        const canGrab = app.isLive && hit?.visual.type === DYNAMIC;
        const cursors = { grab: canGrab ? 'grab' : hit ? 'pointer' : '', shoot: 'crosshair', poke: hit ? 'pointer' : '', magnet: hit ? 'pointer' : '' };
        canvas.style.cursor = cursors[this.tool];
    }

    flush() {
        if (this.target) this.app.source.send({ do: 'drag_move', b: this.world(this.target) });
        this.target = null;
    }

    up(e) {
        const { app } = this;
        if (this.plane) {
            this.flush();
            app.source.send({ do: 'drag_end' });
            this.plane = null;
            app.view.overlays.drag = null;
            app.view.controls.enabled = true;
            this.canvas.style.cursor = 'grab';
        }
        const isClick = this.start && Math.hypot(e.clientX - this.start[0], e.clientY - this.start[1]) < CLICK;
        this.start = null;
        if (isClick && e.button === 0) this.click(e.clientX, e.clientY);
    }

    click(x, y) {
        const { app } = this;
        if (!app.isLive || this.tool === 'grab') return app.choose(this.hit ? this.hit.body : -1);
        if (this.tool === 'shoot') this.shoot(x, y);
        if (!this.hit) return;
        if (this.tool === 'poke') {
            const along = app.view.ray(x, y).ray.direction;
            const impulse = along.clone().multiplyScalar(6 * this.hit.visual.mass);
            app.source.send({ do: 'poke', body: this.hit.body, a: this.world(this.hit.point), b: impulse.toArray() });
        }
        if (this.tool === 'magnet') {
            const isOn = !(this.magnets.get(this.hit.body) ?? (this.hit.visual.flags & 2) !== 0);
            this.magnets.set(this.hit.body, isOn);
            app.source.send({ do: 'magnet', body: this.hit.body, flag: isOn });
            app.notice(`magnet ${isOn ? 'on' : 'off'}`);
        }
    }

    // As large as suits the scene, and fast enough to reach what it is aimed at in less than a second.
    shoot(x, y) {
        const { view, source } = this.app;
        const { ray } = view.ray(x, y);
        const distance = view.camera.position.distanceTo(view.controls.target);
        const radius = THREE.MathUtils.clamp(distance / 60, 0.05, 1);
        const from = ray.origin.clone().addScaledVector(ray.direction, 0.1 * distance);
        const velocity = ray.direction.clone().multiplyScalar(THREE.MathUtils.clamp(1.6 * distance, 10, 90));
        source.send({ do: 'shoot', a: this.world(from), b: velocity.toArray(), value: radius });
    }
}
