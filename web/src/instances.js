// Bodies drawn by the thousand. Every shape is an instance; its place is its mover's pose, looked up in a texture, times
// its own place in the mover. So a frame uploads poses of movers only, and a collection of any size moves for nothing.
import * as THREE from 'three';
import { IS_TRIGGER, STATIC } from './model.js';

const ROW = 512; // movers in a row of the texture

const vertexHead = `
attribute vec3 iPlace;
attribute vec4 iTurn;
attribute vec4 iScale; // and how far the ends of a capsule are pulled apart
attribute vec2 iRef;   // mover, is static
attribute vec3 iTint;
uniform sampler2D uMovers;
varying vec3 vTint;
varying vec3 vLocal;
varying vec3 vHalf;
varying vec3 vPlace;
varying vec2 vKind; // is static, faces up
varying vec3 vFace;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
ivec2 moverAt() { int m = int(iRef.x + 0.5); return ivec2((m % ${ROW}) * 2, m / ${ROW}); }
vec3 placed(vec3 p)
{
    ivec2 at = moverAt();
    p = p * iScale.xyz + vec3(0.0, sign(p.y) * iScale.w, 0.0);
    p = turned(iTurn, p) + iPlace;
    return turned(texelFetch(uMovers, at + ivec2(1, 0), 0), p) + texelFetch(uMovers, at, 0).xyz;
}
vec3 placedNormal(vec3 n)
{
    return turned(texelFetch(uMovers, moverAt() + ivec2(1, 0), 0), turned(iTurn, normalize(n / iScale.xyz)));
}
`;

const fragmentHead = `
varying vec3 vTint;
varying vec3 vLocal;
varying vec3 vHalf;
varying vec3 vPlace;
varying vec2 vKind;
varying vec3 vFace;
uniform vec3 uMiddle;
`;

// Thin static walls do not hide what they hold: of them only the side towards the middle is drawn.
// Edges of boxes a little darker, so that stacked ones can be told apart; a metre grid on static floors.
const fragmentColor = `
diffuseColor.rgb *= vTint;
#ifdef IS_BOX
{
    float thin = min(vHalf.x, min(vHalf.y, vHalf.z)) / max(vHalf.x, max(vHalf.y, vHalf.z));
    bool isWall = vKind.x > 0.5 && thin < 0.2 && abs(vKind.y) < 0.5;
    if (isWall && dot(vFace, uMiddle - vPlace) < 0.0) discard;
    vec3 d = vHalf - abs(vLocal);
    float middle = max(min(d.x, d.y), min(max(d.x, d.y), d.z));
    float width = max(0.035 * min(vHalf.x, min(vHalf.y, vHalf.z)), fwidth(middle));
    diffuseColor.rgb *= vKind.x > 0.5 ? 1.0 : mix(0.62, 1.0, smoothstep(0.0, width, middle));
}
#endif
if (vKind.x > 0.5 && vKind.y > 0.9)
{
    vec2 g1 = abs(fract(vPlace.xz - 0.5) - 0.5) / fwidth(vPlace.xz);
    vec2 g5 = abs(fract(vPlace.xz / 5.0 - 0.5) - 0.5) / fwidth(vPlace.xz / 5.0);
    float far = smoothstep(0.5, 0.05, max(fwidth(vPlace.x), fwidth(vPlace.z)));
    float thin = 1.0 - min(min(g1.x, g1.y), 1.0);
    float thick = 1.0 - min(min(g5.x, g5.y), 1.0);
    diffuseColor.rgb *= 1.0 - far * (0.07 * thin + 0.09 * thick);
}
`;

function patch(material, uniforms, isBox) {
    material.defines = { ...material.defines, ...(isBox ? { IS_BOX: 1 } : {}) };
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, uniforms);
        shader.vertexShader = shader.vertexShader
            .replace('#include <common>', '#include <common>\n' + vertexHead)
            .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = placedNormal(normal);')
            .replace(
                '#include <begin_vertex>',
                `vec3 transformed = placed(position);
                vTint = iTint; vHalf = iScale.xyz; vLocal = position * iScale.xyz; vPlace = transformed;
                vFace = placedNormal(vec3(normal)); vKind = vec2(iRef.y, vFace.y);`,
            );
        shader.fragmentShader = shader.fragmentShader
            .replace('#include <common>', '#include <common>\n' + fragmentHead)
            .replace('#include <color_fragment>', fragmentColor);
    };
    return material;
}

const SIZES = { iPlace: 3, iTurn: 4, iScale: 4, iRef: 2, iTint: 3 };

class Group {
    constructor(base, uniforms, { isBox, isTrigger, isPlain }) {
        this.base = base;
        this.count = 0;
        this.owners = []; // by slot: [body, place in its list]
        this.geometry = new THREE.InstancedBufferGeometry();
        this.geometry.index = base.index;
        for (const name of ['position', 'normal']) this.geometry.setAttribute(name, base.getAttribute(name));
        const look = isTrigger
            ? { transparent: true, opacity: 0.18, depthWrite: false }
            : { side: base.userData.isOpen ? THREE.DoubleSide : THREE.FrontSide };
        const material = isPlain
            ? new THREE.MeshLambertMaterial(look)
            : new THREE.MeshStandardMaterial({ ...look, roughness: 0.78, metalness: 0 });
        this.mesh = new THREE.Mesh(this.geometry, patch(material, uniforms, isBox));
        this.mesh.customDepthMaterial = patch(
            new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking }),
            uniforms,
            false,
        );
        this.mesh.frustumCulled = false;
        this.mesh.castShadow = !isTrigger && !base.userData.isGround;
        this.mesh.receiveShadow = !isTrigger;
        this.reserve(64);
    }

    reserve(capacity) {
        this.capacity = capacity;
        for (const [name, size] of Object.entries(SIZES)) {
            const old = this.geometry.getAttribute(name);
            const attribute = new THREE.InstancedBufferAttribute(new Float32Array(capacity * size), size);
            attribute.setUsage(THREE.DynamicDrawUsage);
            if (old) attribute.array.set(old.array);
            this.geometry.setAttribute(name, attribute);
        }
        // The number of instances follows the buffers, which three.js only looks at once.
        this.geometry._maxInstanceCount = capacity;
    }

    set(slot, name, ...values) {
        const attribute = this.geometry.getAttribute(name);
        attribute.array.set(values, slot * SIZES[name]);
        attribute.needsUpdate = true;
    }

    add(owner) {
        if (this.count === this.capacity) this.reserve(2 * this.capacity);
        this.owners[this.count] = owner;
        this.geometry.instanceCount = this.count + 1;
        return this.count++;
    }

    // The last one moves into the gap; gives its owner, who must be told.
    remove(slot) {
        const last = --this.count;
        this.geometry.instanceCount = this.count;
        const owner = this.owners.pop();
        if (slot === last) return null;
        for (const [name, size] of Object.entries(SIZES)) {
            const attribute = this.geometry.getAttribute(name);
            attribute.array.copyWithin(slot * size, last * size, (last + 1) * size);
            attribute.needsUpdate = true;
        }
        this.owners[slot] = owner;
        return owner;
    }
}

export class Instances {
    constructor(scene, isPlain = false) {
        this.scene = scene;
        this.isPlain = isPlain; // matt surfaces: without a graphics card shine takes longer than all the rest
        this.texture = null;
        this.uniforms = { uMovers: { value: null }, uMiddle: { value: new THREE.Vector3() } };
        this.groups = new Map();
        this.slots = []; // by body: [[group, slot], …]
        this.triggersShown = true;
    }

    clear() {
        for (const group of this.groups.values()) {
            this.scene.remove(group.mesh);
            group.mesh.material.dispose();
            group.mesh.customDepthMaterial.dispose();
            group.geometry.dispose();
        }
        this.groups.clear();
        this.slots = [];
    }

    showTriggers(isShown) {
        this.triggersShown = isShown;
        for (const group of this.groups.values()) if (group.isTrigger) group.mesh.visible = isShown;
    }

    // The poses, to the graphics card.
    uploadMovers(model) {
        const rows = Math.max(1, Math.ceil(model.movers.length / 8 / ROW));
        if (!this.texture || this.texture.image.height !== rows) {
            this.texture?.dispose();
            const data = new Float32Array(rows * ROW * 8);
            this.texture = new THREE.DataTexture(data, ROW * 2, rows, THREE.RGBAFormat, THREE.FloatType);
            this.uniforms.uMovers.value = this.texture;
        }
        this.texture.image.data.set(model.movers);
        this.texture.needsUpdate = true;
    }

    groupOf(model, visual, shape) {
        const isTrigger = (visual.flags & IS_TRIGGER) !== 0;
        const key = (shape.asset === undefined ? shape.kind : 'asset' + shape.asset) + (isTrigger ? ':trigger' : '');
        let group = this.groups.get(key);
        if (!group) {
            group = new Group(baseGeometry(model, shape), this.uniforms, { isBox: shape.kind === 'box', isTrigger, isPlain: this.isPlain });
            this.groups.set(key, group);
            group.isTrigger = isTrigger;
            group.mesh.visible = !isTrigger || this.triggersShown;
            this.scene.add(group.mesh);
        }
        return group;
    }

    update(model, index) {
        this.remove(index);
        const body = model.bodies[index];
        if (!body) return;
        const visual = model.visuals[body.visual];
        const l = body.local;
        const localTurn = new THREE.Quaternion(l[3], l[4], l[5], l[6]);
        this.slots[index] = visual.shapes.map((shape, i) => {
            const group = this.groupOf(model, visual, shape);
            const slot = group.add([index, i]);
            const p = new THREE.Vector3(shape.pose[0], shape.pose[1], shape.pose[2]).applyQuaternion(localTurn);
            const q = localTurn.clone().multiply(new THREE.Quaternion(...shape.pose.slice(3)));
            const isFixed = visual.type === STATIC;
            group.set(slot, 'iPlace', p.x + l[0], p.y + l[1], p.z + l[2]);
            group.set(slot, 'iTurn', q.x, q.y, q.z, q.w);
            group.set(slot, 'iScale', ...scaleOf(shape));
            group.set(slot, 'iRef', body.mover, isFixed ? 1 : 0);
            return [group, slot];
        });
    }

    remove(index) {
        for (const [group, slot] of this.slots[index] ?? []) {
            const moved = group.remove(slot);
            if (moved) this.slots[moved[0]][moved[1]][1] = slot;
        }
        this.slots[index] = undefined;
    }

    tint(index, color) {
        for (const [group, slot] of this.slots[index] ?? []) group.set(slot, 'iTint', color.r, color.g, color.b);
    }
}

export function scaleOf(shape) {
    const s = shape.size;
    if (shape.kind === 'sphere') return [s[0], s[0], s[0], 0];
    if (shape.kind === 'capsule') return [s[0], s[0], s[0], s[1]];
    if (shape.kind === 'cylinder') return [s[0], s[1], s[0], 0];
    if (shape.kind === 'box') return [s[0], s[1], s[2], 0];
    return [1, 1, 1, 0];
}

const bases = new Map();

// Shapes of unit size; a capsule's ends are pulled apart when it is drawn.
export function baseGeometry(model, shape) {
    if (shape.asset !== undefined) return assetGeometry(model.assets[shape.asset]);
    if (bases.has(shape.kind)) return bases.get(shape.kind);
    let base;
    if (shape.kind === 'sphere') base = new THREE.SphereGeometry(1, 28, 18);
    else if (shape.kind === 'capsule') base = new THREE.CapsuleGeometry(1, 1e-3, 8, 24);
    else if (shape.kind === 'cylinder') base = new THREE.CylinderGeometry(1, 1, 2, 32);
    else if (shape.kind === 'box') base = new THREE.BoxGeometry(2, 2, 2);
    else {
        base = new THREE.PlaneGeometry(800, 800).rotateX(-Math.PI / 2);
        base.userData.isGround = true;
    }
    bases.set(shape.kind, base);
    return base;
}

function assetGeometry(asset) {
    if (asset.geometry) return asset.geometry;
    let geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(asset.vertices, 3));
    geometry.setIndex(new THREE.BufferAttribute(asset.indices, 1));
    // Few corners: flat faces. Many: a smooth surface.
    const isLarge = asset.vertices.length > 3000;
    if (!isLarge) geometry = geometry.toNonIndexed();
    geometry.computeVertexNormals();
    geometry.userData.isOpen = true;
    return (asset.geometry = geometry);
}
