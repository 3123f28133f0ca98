// The picture: camera, light, bodies, and what the mouse is over.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { MODES, colorOf } from './colors.js';
import { Instances, baseGeometry, scaleOf } from './instances.js';
import { DYNAMIC } from './model.js';
import { Overlays } from './overlays.js';
import { boundsOf, distanceToSee, floorOf, reachOfFloor, typicalSize } from './framing.js';
import { addLight, addSky } from './sky.js';

export class View {
    constructor(canvas, model) {
        this.model = model;
        this.mode = 'body';
        this.selected = -1;
        this.follows = true;
        this.middle = null; // of what moves, as last followed
        this.quality = firstQuality();
        document.body.classList.toggle('glass', this.quality === 'high');
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: this.quality === 'high', powerPreference: 'high-performance' });
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
        this.renderer.toneMapping = THREE.NeutralToneMapping;
        this.scene = new THREE.Scene();
        addSky(this.scene);
        this.sun = addLight(this.scene);
        this.camera = new THREE.PerspectiveCamera(45, 1, 0.1, 2000);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.maxPolarAngle = 0.55 * Math.PI;
        this.instances = new Instances(this.scene, this.quality !== 'high');
        this.overlays = new Overlays(this.scene);
        this.resize();
        addEventListener('resize', () => this.resize());
        if (this.quality !== 'high') this.lowerQuality(this.quality);
        this.sketch = this.quality === 'high' ? null : {};
    }

    // Without a graphics card the first picture is a sketch, so that there is one soon: fewer pixels, no shadows, by the
    // same programs as all that follow.
    drawSketch() {
        const { renderer, sun } = this;
        this.sketch.ratio = renderer.getPixelRatio();
        renderer.setPixelRatio(0.5 * this.sketch.ratio);
        renderer.shadowMap.autoUpdate = false;
        sun.shadow.intensity = 0;
        renderer.render(this.scene, this.camera);
        const gl = renderer.getContext();
        this.sketch.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    }

    // What is drawn while the sketch is being made would only delay it.
    isSketchMade() {
        const { renderer, sun, sketch } = this;
        const gl = renderer.getContext();
        if (gl.getSyncParameter(sketch.fence, gl.SYNC_STATUS) === gl.UNSIGNALED) return false;
        gl.deleteSync(sketch.fence);
        renderer.setPixelRatio(sketch.ratio);
        renderer.shadowMap.autoUpdate = true;
        sun.shadow.intensity = 1;
        this.sketch = null;
        return true;
    }

    // A machine without a graphics card gets fewer pixels and harder shadows rather than a slide show.
    adapt(seconds) {
        this.slow = seconds > 0.06 ? (this.slow ?? 0) + 1 : 0;
        if (this.slow < 8 || this.quality === 'low') return;
        this.slow = 0;
        this.lowerQuality(this.quality === 'high' ? 'medium' : 'low');
    }

    lowerQuality(quality) {
        this.quality = quality;
        this.renderer.setPixelRatio(quality === 'low' ? 0.75 : 1);
        this.renderer.shadowMap.type = THREE.BasicShadowMap;
        this.renderer.shadowMap.needsUpdate = true;
        this.sun.shadow.mapSize.setScalar(1024);
        this.sun.shadow.map?.dispose();
        this.sun.shadow.map = null;
        this.scene.traverse((thing) => thing.material && (thing.material.needsUpdate = true));
        this.resize();
    }

    resize() {
        const { clientWidth, clientHeight } = this.renderer.domElement.parentElement;
        this.renderer.setSize(clientWidth, clientHeight);
        this.camera.aspect = clientWidth / Math.max(1, clientHeight);
        this.camera.updateProjectionMatrix();
    }

    // So that all that moves is in the picture, from a little above.
    frameAll() {
        const box = boundsOf(this.model);
        const center = box.getCenter(new THREE.Vector3());
        const towards = new THREE.Vector3(0.62, 0.42, 0.78).normalize();
        const distance = Math.max(1.5, distanceToSee(box, towards, this.camera));
        this.middle = null;
        this.controls.target.copy(center);
        this.camera.position.copy(center).addScaledVector(towards, distance);
        this.camera.near = Math.max(0.02, distance / 500);
        this.camera.far = Math.max(600, 12 * distance);
        this.camera.updateProjectionMatrix();
        this.controls.update();
    }

    setMode(mode) {
        this.mode = mode;
        this.tintAll();
    }

    showTriggers(isShown) {
        this.instances.showTriggers(isShown);
    }

    select(index) {
        const before = this.selected;
        this.selected = index;
        for (const i of [before, index])
            if (i >= 0 && this.model.bodies[i]) this.instances.tint(i, colorOf(this.mode, i, this.model, this.selected));
    }

    tintAll() {
        const { model } = this;
        for (let i = 0; i < model.bodies.length; ++i)
            if (model.bodies[i]) this.instances.tint(i, colorOf(this.mode, i, model, this.selected));
    }

    // After a frame has come.
    update() {
        const { model } = this;
        if (model.isWhole) {
            this.instances.clear();
            model.isWhole = false;
            this.overlays.unit = typicalSize(model);
            this.floor = floorOf(model);
            this.floorReach = reachOfFloor(model);
            this.marked = null;
            model.bodies.forEach((body, index) => body && model.changedBodies.add(index));
        }
        for (const index of model.changedBodies) {
            this.instances.update(model, index);
            if (model.bodies[index]) this.instances.tint(index, colorOf(this.mode, index, model, this.selected));
        }
        model.changedBodies.clear();
        if (model.moversChanged) this.instances.uploadMovers(model);
        if (MODES[this.mode].isLive) this.tintAll();
        model.moversChanged = model.flagsChanged = false;
        this.overlays.far = this.camera.position.distanceTo(this.controls.target);
        this.overlays.update(model);
    }

    // False where the picture before is still being made.
    draw() {
        if (this.sketch?.fence && !this.isSketchMade()) return false;
        if (this.follows) this.follow();
        this.controls.update();
        this.stayAbove();
        this.placeSun();
        this.placeMist();
        this.instances.uniforms.uMiddle.value.copy(this.controls.target);
        if (this.sketch) this.drawSketch();
        else this.renderer.render(this.scene, this.camera);
        return true;
    }

    // The camera goes along with the chosen body, or with the middle of all that can move.
    follow() {
        const { model } = this;
        const middle = new THREE.Vector3();
        if (model.bodies[this.selected]) middle.fromArray(model.pose(this.selected));
        else if (!this.middleOfAll(middle)) return;
        const isSame = this.followed === this.selected;
        this.followed = this.selected;
        if (this.middle && isSame) {
            const way = middle.clone().sub(this.middle);
            this.controls.target.add(way);
            this.camera.position.add(way);
        } else if (model.bodies[this.selected]) {
            const way = middle.clone().sub(this.controls.target);
            this.controls.target.add(way);
            this.camera.position.add(way);
        }
        this.middle = middle;
    }

    // A floor without end is nothing to look at from below.
    stayAbove() {
        const lowest = this.floor + 2 * this.camera.near;
        if (this.camera.position.y >= lowest) return;
        this.camera.position.y = lowest;
        this.camera.lookAt(this.controls.target);
    }

    // The median along the ground: what flew off or was just shot does not pull it along, and it has no lag. Of some
    // bodies, always the same; when they are others, it begins anew.
    middleOfAll(out) {
        const { model } = this;
        if (this.marked?.count !== model.bodies.length) this.marked = { count: model.bodies.length, bodies: markedBodies(model) };
        const xs = [];
        const zs = [];
        for (const index of this.marked.bodies) {
            if (!model.bodies[index]) continue;
            model.position(model.bodies[index], place);
            xs.push(place[0]);
            zs.push(place[2]);
        }
        if (xs.length === 0) return false;
        if (this.marked.left !== xs.length) this.middle = null;
        this.marked.left = xs.length;
        out.set(median(xs), 0, median(zs));
        return true;
    }

    // The shadow map covers what the camera looks at, in whole texels so that shadows do not crawl.
    placeSun() {
        const reach = THREE.MathUtils.clamp(0.9 * this.camera.position.distanceTo(this.controls.target), 4, 160);
        const size = 2 ** Math.ceil(Math.log2(reach));
        const texel = (2 * size) / 2048;
        const centre = this.controls.target.clone().divideScalar(texel).round().multiplyScalar(texel);
        this.sun.target.position.copy(centre);
        this.sun.position.copy(centre).addScaledVector(new THREE.Vector3(0.45, 1, 0.3).normalize(), 3 * size);
        const camera = this.sun.shadow.camera;
        if (camera.right !== size) {
            camera.left = camera.bottom = -size;
            camera.right = camera.top = size;
            camera.near = 0.5 * size;
            camera.far = 6 * size;
            camera.updateProjectionMatrix();
        }
    }

    // Mist begins behind what is looked at, and before a floor ends.
    placeMist() {
        const distance = this.camera.position.distanceTo(this.controls.target);
        const { fog } = this.scene;
        fog.far = Math.max(2.6 * distance, Math.min(Math.max(80, 9 * distance), this.floorReach ?? Infinity));
        fog.near = Math.min(2.5 * distance, 0.55 * fog.far);
    }

    ray(x, y) {
        const { left, top, width, height } = this.renderer.domElement.getBoundingClientRect();
        const caster = new THREE.Raycaster();
        const place = new THREE.Vector2(((x - left) / width) * 2 - 1, 1 - ((y - top) / height) * 2);
        caster.setFromCamera(place, this.camera);
        return caster;
    }

    // The body under this place on the screen: {body, point, local, distance} or null.
    pick(x, y) {
        const caster = this.ray(x, y);
        const { model } = this;
        const pose = new Float64Array(7);
        const centre = new THREE.Vector3();
        let best = null;
        model.bodies.forEach((body, index) => {
            if (!body) return;
            const visual = model.visuals[body.visual];
            if (visual.flags & 1) return;
            model.pose(index, pose);
            centre.set(pose[0], pose[1], pose[2]);
            if (visual.radius > 0 && caster.ray.distanceSqToPoint(centre) > visual.radius ** 2 * 1.01) return;
            const hit = hitBody(caster, model, visual, pose);
            if (hit && (!best || hit.distance < best.distance)) best = { ...hit, body: index, visual };
        });
        if (best) {
            model.pose(best.body, pose);
            const turn = new THREE.Quaternion(pose[3], pose[4], pose[5], pose[6]).invert();
            best.local = best.point.clone().sub(centre.set(pose[0], pose[1], pose[2])).applyQuaternion(turn);
        }
        return best;
    }
}

// `?quality=high|medium|low`, or what the machine is good for: without a graphics card the first picture comes sooner plain.
function firstQuality() {
    const asked = new URLSearchParams(location.search).get('quality');
    if (['high', 'medium', 'low'].includes(asked)) return asked;
    const gl = document.createElement('canvas').getContext('webgl2');
    const info = gl?.getExtension('WEBGL_debug_renderer_info');
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
    const isExport = location.hash.includes('export=');
    return /swiftshader|llvmpipe|software|softpipe/i.test(name) && !isExport ? 'medium' : 'high';
}

function markedBodies(model) {
    const moving = [];
    model.bodies.forEach((body, index) => body && model.visuals[body.visual].type === DYNAMIC && moving.push(index));
    const stride = Math.ceil(moving.length / 300);
    return moving.filter((_, i) => i % stride === 0);
}

function median(values) {
    values.sort((a, b) => a - b);
    const half = values.length >> 1;
    return values.length % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

const place = new Float64Array(3); // scratch
const probe = new THREE.Mesh(undefined, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));

function hitBody(caster, model, visual, pose) {
    const turn = new THREE.Quaternion(pose[3], pose[4], pose[5], pose[6]);
    let best = null;
    for (const shape of visual.shapes) {
        const p = new THREE.Vector3(shape.pose[0], shape.pose[1], shape.pose[2]).applyQuaternion(turn);
        const s = scaleOf(shape);
        probe.geometry = baseGeometry(model, shape);
        probe.position.set(pose[0], pose[1], pose[2]).add(p);
        probe.quaternion.copy(turn).multiply(new THREE.Quaternion(...shape.pose.slice(3)));
        // A capsule is met as the long ellipsoid about it, which is near enough for a mouse.
        probe.scale.set(s[0], s[1] + s[3], s[2]);
        probe.updateMatrixWorld(true);
        const hits = [];
        probe.raycast(caster, hits);
        for (const hit of hits) if (!best || hit.distance < best.distance) best = hit;
    }
    return best && { point: best.point, distance: best.distance };
}
