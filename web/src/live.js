// A connection to `moraine view`: frames come as bytes, everything else as JSON. Connects again when it is lost.
import { Reader } from './bytes.js';
import { OVERLAYS, readDetails } from './details.js';

const IS_WHOLE = 1;
const IS_PLAYING = 2;

export class Live {
    constructor(model, on) {
        this.model = model;
        this.on = on; // {message, frame, lost}
        this.isPlaying = true;
        this.speed = 1;
        this.numbers = []; // for the plots, since the frame before
        this.overlays = Object.keys(OVERLAYS);
        this.wanted = 0; // of them
        this.channel = ''; // for colours
        this.channels = []; // that the server has
        this.bytes = 0;
        this.connect();
    }

    connect() {
        const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
        this.socket = new WebSocket(`${scheme}://${location.host}/ws${location.search}`);
        this.socket.binaryType = 'arraybuffer';
        this.framesRead = this.framesTold = 0;
        this.socket.onopen = () => {
            this.send({ do: 'seen', value: 0 });
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

    // After each picture: the server sends no more than can be shown, so that what is seen is what is.
    tellSeen() {
        if (this.framesRead === this.framesTold) return;
        this.framesTold = this.framesRead;
        this.send({ do: 'seen', value: this.framesRead });
    }

    tellWanted() {
        this.send({ do: 'want', value: this.wanted, text: this.channel });
    }

    readFrame(bytes) {
        this.bytes += bytes.length;
        ++this.framesRead;
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
        this.numbers = [];
        for (let left = r.varint(); left > 0; --left) this.numbers.push({ time: r.f64(), stats: r.floats(r.varint()) });
        this.events = [];
        for (let left = r.varint(); left > 0; --left)
            this.events.push({ kind: r.u8(), step: r.varint(), a: r.varint(), b: r.varint(), value: r.f32() });
        readDetails(r, model, this.channels);
        this.on.frame((flags & IS_WHOLE) !== 0);
    }
}

function readMoverFlags(r, model) {
    const word = r.u32();
    const index = word & 0x3fffffff;
    model.setFlags(index, word >>> 31 === 1);
    return index;
}
