// A connection to `moraine view`: frames come as bytes, everything else as JSON. Connects again when it is lost.
import { Reader } from './bytes.js';

const IS_WHOLE = 1;
const IS_PLAYING = 2;
export const OVERLAYS = { contacts: 1, graph: 2, bounds: 4, joints: 8, friction: 16, welds: 32 };

export class Live {
    constructor(model, on) {
        this.model = model;
        this.on = on; // {message, frame, lost}
        this.isPlaying = true;
        this.speed = 1;
        this.stats = null;
        this.wanted = 0; // overlays
        this.channel = ''; // for colours
        this.channels = []; // that the server has
        this.bytes = 0;
        this.connect();
    }

    connect() {
        const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
        this.socket = new WebSocket(`${scheme}://${location.host}/ws${location.search}`);
        this.socket.binaryType = 'arraybuffer';
        this.socket.onopen = () => {
            if (this.wanted || this.channel) this.tellWanted();
        };
        this.socket.onmessage = (event) => {
            if (typeof event.data === 'string') this.on.message(JSON.parse(event.data));
            else this.readFrame(new Uint8Array(event.data));
        };
        this.socket.onclose = () => {
            this.on.lost();
            setTimeout(() => this.connect(), 1000);
        };
    }

    send(command) {
        if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
    }

    want(name, isWanted) {
        const wanted = isWanted ? this.wanted | OVERLAYS[name] : this.wanted & ~OVERLAYS[name];
        if (wanted === this.wanted) return;
        this.wanted = wanted;
        this.tellWanted();
    }

    wantChannel(name) {
        if (name === this.channel) return;
        this.channel = name;
        this.tellWanted();
    }

    tellWanted() {
        this.send({ do: 'want', value: this.wanted, text: this.channel });
    }

    readFrame(bytes) {
        this.bytes += bytes.length;
        const r = new Reader(bytes);
        if (r.u8() !== 1) return;
        const flags = r.u8();
        const model = this.model;
        if (flags & IS_WHOLE) model.clear();
        this.isPlaying = (flags & IS_PLAYING) !== 0;
        const step = r.varint();
        model.beginFrame(step, r.f64());
        model.origin = [r.f64(), r.f64(), r.f64()];
        this.speed = r.f32();
        this.stepsPerSecond = r.f32();
        model.readVisuals(r);
        model.readBodies(r);
        for (let left = r.varint(); left > 0; --left) {
            const index = readMoverFlags(r, model);
            model.setMover(index, r.f32(), r.f32(), r.f32(), r.f32(), r.f32(), r.f32(), r.f32());
        }
        for (let left = r.varint(); left > 0; --left) readMoverFlags(r, model);
        this.stats = r.floats(r.varint());
        this.events = [];
        for (let left = r.varint(); left > 0; --left)
            this.events.push({ kind: r.u8(), step: r.varint(), a: r.varint(), b: r.varint(), value: r.f32() });
        readOverlays(r, model);
        readChannels(r, model, this.channels);
        this.on.frame((flags & IS_WHOLE) !== 0);
    }
}

function readMoverFlags(r, model) {
    const word = r.u32();
    const index = word & 0x3fffffff;
    model.setFlags(index, word >>> 31 === 1);
    return index;
}

function readChannels(r, model, channels) {
    for (let number = r.varint(); number > 0; number = r.varint()) {
        const { name, kind } = channels[number - 1];
        const count = r.varint();
        const values = kind === 'number' ? r.floats(count) : new Uint32Array(count);
        if (kind !== 'number') for (let i = 0; i < count; ++i) values[i] = r.varint();
        model.channels[name] = values;
    }
}

// What src/viewer/overlays.cpp writes.
function readOverlays(r, model) {
    const given = r.varint();
    const o = (model.overlays = {});
    if (given & OVERLAYS.contacts) o.contacts = r.floats(8 * r.varint());
    if (given & OVERLAYS.graph) {
        o.graph = [];
        for (let left = r.varint(); left > 0; --left) o.graph.push([r.varint(), r.varint(), r.u8()]);
    }
    if (given & OVERLAYS.bounds) {
        o.bounds = [];
        for (let left = r.varint(); left > 0; --left) o.bounds.push([...r.floats(6), r.u8()]);
    }
    if (given & OVERLAYS.joints) {
        o.joints = [];
        for (let left = r.varint(); left > 0; --left)
            o.joints.push({
                points: r.floats(6),
                kind: r.u8(),
                impulse: r.f32(),
                a: r.varint(),
                b: r.varint(),
            });
    }
    if (given & OVERLAYS.friction) o.friction = r.floats(9 * r.varint());
    if (given & OVERLAYS.welds) {
        o.welds = [];
        for (let left = r.varint(); left > 0; --left)
            o.welds.push({ point: r.floats(3), strain: r.f32(), a: r.varint(), b: r.varint() });
    }
}
