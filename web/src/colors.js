// What colour a body has, by what it shall tell.
import * as THREE from 'three';
import { DYNAMIC, KINEMATIC, STATIC } from './model.js';

const palette = [
    0x4e79a7, 0xf28e2b, 0xe15759, 0x76b7b2, 0x59a14f, 0xedc948, 0xb07aa1, 0xff9da7, 0x9c755f, 0x86bcb6, 0xd37295, 0x8cd17d,
].map((hex) => new THREE.Color(hex));

const WHITE = new THREE.Color(0xffffff);
const FIXED = new THREE.Color(0xc9cdd3);
const CARRIER = new THREE.Color(0x7d8794);
const FREE = new THREE.Color(0x4a4f57);
const ASLEEP = new THREE.Color(0xd9dce0);
const SELECTED = new THREE.Color(0xffb000);
const scratch = new THREE.Color();

// Hues a golden angle apart: neighbours in number never look alike.
function hue(number, saturation = 0.72, lightness = 0.52) {
    return scratch.setHSL((number * 0.61803398875) % 1, saturation, lightness);
}

// From calm blue over green and yellow to red.
const ramp = [0x3b4cc0, 0x4aa3c7, 0x6dc36d, 0xf2c744, 0xd7301f].map((hex) => new THREE.Color(hex));
function heat(value) {
    const at = Math.min(0.9999, Math.max(0, value)) * (ramp.length - 1);
    const i = Math.floor(at);
    return scratch.copy(ramp[i]).lerp(ramp[i + 1], at - i);
}

function own(index, visual) {
    // Floors and walls step back behind what moves.
    if (visual.color && visual.type === STATIC) return scratch.setHex(visual.color).lerp(WHITE, 0.35);
    if (visual.color) return scratch.setHex(visual.color);
    return visual.type === STATIC ? FIXED : visual.type === KINEMATIC ? CARRIER : palette[index % palette.length];
}

const unmoved = (visual) => (visual.type === STATIC ? FIXED : CARRIER);
const channel = (model, name, index) => model.channels[name]?.[index] ?? 0;

// `isLive`: changes from frame to frame. `wants`: what the server must send for it.
// A new way to colour is one more entry here; per-body numbers arrive in model.channels.
export const MODES = {
    body: { label: 'body', of: own },
    collection: {
        label: 'collection',
        isLive: true,
        of(index, visual, body, model) {
            if (visual.type !== DYNAMIC) return unmoved(visual);
            if (!model.isAwake(body)) return ASLEEP;
            return body.collection > 0 ? hue(body.collection) : FREE;
        },
    },
    sleeping: {
        label: 'awake or asleep',
        isLive: true,
        of(index, visual, body, model) {
            return visual.type === DYNAMIC && !model.isAwake(body) ? ASLEEP : own(index, visual);
        },
    },
    group: {
        label: 'group of contacts',
        isLive: true,
        wants: 'group',
        of(index, visual, body, model) {
            return visual.type === DYNAMIC ? hue(channel(model, 'group', index), 0.6) : unmoved(visual);
        },
    },
    speed: {
        label: 'speed',
        isLive: true,
        legend: ['0', '10 m/s'],
        of(index, visual, body, model) {
            return visual.type === STATIC ? FIXED : heat(Math.sqrt(model.speed(body) / 10));
        },
    },
    contact_count: {
        label: 'contact points',
        isLive: true,
        wants: 'contact_count',
        legend: ['0', '24'],
        of(index, visual, body, model) {
            return visual.type === DYNAMIC ? heat(channel(model, 'contact_count', index) / 24) : unmoved(visual);
        },
    },
};

export function colorOf(mode, index, model, selected) {
    const body = model.bodies[index];
    if (index === selected) return SELECTED;
    return MODES[mode].of(index, model.visuals[body.visual], body, model);
}
