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
const chips = (...parts) => parts.map(([color, label]) => ({ color: '#' + color.getHexString(), label }));

// `isLive`: changes from frame to frame. `legend`: [lowest, highest] for the ramp, or colours with what they mean.
export const MODES = {
    body: { label: 'body', of: own },
    collection: {
        label: 'collection',
        isLive: true,
        legend: [
            { color: 'linear-gradient(90deg,#d94a3d,#e0b92f,#4fb35b,#3f8fd9,#b04fc4)', label: 'collections' },
            ...chips([FREE, 'free'], [ASLEEP, 'asleep'], [CARRIER, 'carrier']),
        ],
        of(index, visual, body, model) {
            if (visual.type !== DYNAMIC) return unmoved(visual);
            if (!model.isAwake(body)) return ASLEEP;
            return body.collection > 0 ? hue(body.collection) : FREE;
        },
    },
    sleeping: {
        label: 'awake or asleep',
        isLive: true,
        legend: chips([ASLEEP, 'asleep']),
        of(index, visual, body, model) {
            return visual.type === DYNAMIC && !model.isAwake(body) ? ASLEEP : own(index, visual);
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
};

// A way to colour by what the server knows about bodies: see src/viewer/channels.h.
function channelMode(channel) {
    const { name, kind } = channel;
    const said = channel.legend?.map(({ color, label }) => ({ color: `#${color.toString(16).padStart(6, '0')}`, label }));
    const of = {
        category: (value) => hue(value, 0.6),
        color: (value) => scratch.setHex(value),
        number: (value, range) => heat((value - channel.lower) / (range - channel.lower || 1)),
    }[kind];
    return {
        label: channel.label,
        isLive: true,
        channel: name,
        // What the end of the ramp stands for, where that is not fixed.
        highest: (model) => `${Number(rangeOf(model.channels[name] ?? [0]).toPrecision(2))} ${channel.unit}`,
        isOpen: kind === 'number' && !(channel.upper > channel.lower),
        legend: kind === 'number' ? [String(channel.lower), channel.upper > channel.lower ? `${channel.upper} ${channel.unit}` : ''] : said?.length > 0 ? said : undefined,
        of(index, visual, body, model) {
            const values = model.channels[name];
            if (visual.type !== DYNAMIC || !values) return unmoved(visual);
            return of(values[index] ?? 0, channel.upper > channel.lower ? channel.upper : rangeOf(values));
        },
    };
}

// As far as nearly all bodies go: a single one must not make all the others look alike. Once for each list of numbers.
// The zeros of those without a number are left out.
const ranges = new WeakMap();
function rangeOf(values) {
    if (!ranges.has(values)) {
        const sorted = Float32Array.from(values).filter((v) => v > 0).sort();
        ranges.set(values, sorted[Math.floor(0.98 * (sorted.length - 1))] ?? 1);
    }
    return ranges.get(values);
}

export function setChannels(channels) {
    for (const [name, mode] of Object.entries(MODES)) if (mode.channel) delete MODES[name];
    for (const channel of channels) MODES[channel.name] = channelMode(channel);
}

export function colorOf(mode, index, model, selected) {
    const body = model.bodies[index];
    if (index === selected) return SELECTED;
    return MODES[mode].of(index, model.visuals[body.visual], body, model);
}
