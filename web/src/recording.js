// Reads .mrec files: see docs/viewer.md for the layout, src/record/ for the writer.
import { decompress } from 'fzstd';
import { Reader } from './bytes.js';

const MAGIC = 'MORAINE\n';
const VERSION = 1;
const COLUMNS = 7;

export class Recording {
    constructor(bytes) {
        const magic = String.fromCharCode(...bytes.subarray(0, 8));
        if (magic !== MAGIC) throw new Error('this is not a recording');
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        const version = view.getUint32(8, true);
        if (version !== VERSION) throw new Error(`a recording of version ${version}; this page reads ${VERSION}`);
        this.bytes = bytes;
        this.chunks = [];
        this.visualChunks = [];
        this.frameCount = 0;
        for (let at = 12; at + 16 <= bytes.length; ) {
            const tag = String.fromCharCode(...bytes.subarray(at, at + 4));
            const frames = view.getUint32(at + 4, true);
            const size = view.getUint32(at + 8, true);
            const chunk = { at: at + 16, size, rawSize: view.getUint32(at + 12, true), first: this.frameCount, frames };
            at += 16 + size;
            if (at > bytes.length || tag === 'END!') break;
            if (tag === 'INFO') this.info = JSON.parse(new TextDecoder().decode(this.unpack(chunk)));
            else if (tag === 'BODY') this.visualChunks.push(chunk);
            else if (tag === 'FRAM') {
                this.chunks.push(chunk);
                this.frameCount += frames;
            } else if (tag === 'MORE' && this.chunks.length > 0) this.chunks[this.chunks.length - 1].details = chunk;
        }
        if (!this.info || this.frameCount === 0) throw new Error('the recording ends before its first frame');
    }

    unpack(chunk) {
        return decompress(this.bytes.subarray(chunk.at, chunk.at + chunk.size), new Uint8Array(chunk.rawSize));
    }

    // A reader of what one frame tells besides bodies, or null. The chunk read last is kept.
    details(frame) {
        const chunk = this.chunks[this.chunkOf(frame)];
        if (!chunk.details) return null;
        if (this.unpacked?.chunk !== chunk) this.unpacked = { chunk, bytes: this.unpack(chunk.details) };
        const { bytes } = this.unpacked;
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        let at = 0;
        for (let i = chunk.first; i < frame; ++i) at += 4 + view.getUint32(at, true);
        return new Reader(bytes.subarray(at + 4, at + 4 + view.getUint32(at, true)));
    }

    chunkOf(frame) {
        let index = this.chunks.length - 1;
        while (this.chunks[index].first > frame) --index;
        return index;
    }
}

// Plays a recording into a model, forwards frame by frame, backwards from the chunk's beginning.
export class Player {
    constructor(recording, model) {
        this.recording = recording;
        this.model = model;
        this.chunk = -1;
        this.frame = -1;
        this.quantum = recording.info.position_quantum;
        model.clear();
        for (const chunk of recording.visualChunks) model.readVisuals(new Reader(recording.unpack(chunk)));
    }

    seek(frame) {
        frame = Math.max(0, Math.min(this.recording.frameCount - 1, Math.round(frame)));
        if (frame === this.frame) return;
        const chunk = this.recording.chunkOf(frame);
        if (chunk !== this.chunk || frame < this.frame) this.enter(chunk);
        this.events = [];
        // On the way poses are only counted on: the model gets those of the last two frames, which tell speeds too.
        const isFar = this.frame < frame - 1;
        while (this.frame < frame - 1) this.next(false);
        if (isFar && !this.isBlind) this.showAll();
        if (this.frame < frame) this.next(!this.isBlind);
    }

    enter(index) {
        const chunk = this.recording.chunks[index];
        const r = (this.reader = new Reader(this.recording.unpack(chunk)));
        const model = this.model;
        this.chunk = index;
        this.frame = chunk.first - 1;
        const known = model.bodies.length;
        for (let i = 0; i < known; ++i) if (model.bodies[i]) model.setBody(i, undefined);
        model.readBodies(r);
        const count = (this.count = r.varint()); // of movers
        model.passed = 0;
        this.tracks = new Float64Array(2 * COLUMNS * count); // now, before
        this.active = [];
        for (let m = 0; m < count; ++m) {
            const flags = r.u8();
            model.setFlags(m, (flags & 1) !== 0);
            this.readWhole(r, m);
        }
        if (!this.hasOrigin) this.chooseOrigin();
        for (let m = 0; m < count; ++m) this.show(m);
    }

    readWhole(r, m) {
        r.u8(); // bits: the length of the quaternion tells as much
        const t = this.tracks;
        const at = 2 * COLUMNS * m;
        for (let c = 0; c < COLUMNS; ++c) t[at + c] = t[at + COLUMNS + c] = r.signed();
    }

    // A round number of metres near what moves, so that the graphics card's floats reach.
    chooseOrigin() {
        this.hasOrigin = true;
        const told = this.recording.info.details?.origin; // of what is shown besides bodies
        if (told) return (this.model.origin = told);
        const { bodies, visuals } = this.model;
        const body = bodies.find((b) => b && visuals[b.visual].type !== 0);
        const at = body ? 2 * COLUMNS * body.mover : -1;
        const round = (c) => (at < 0 ? 0 : 1000 * Math.round((this.tracks[at + c] * this.quantum) / 1000));
        this.model.origin = [round(0), round(1), round(2)];
    }

    showAll() {
        this.model.passed = 0;
        for (let m = 0; m < this.count; ++m) this.show(m);
    }

    show(m) {
        const t = this.tracks;
        const at = 2 * COLUMNS * m;
        const q = this.quantum;
        const o = this.model.origin;
        const length = Math.hypot(t[at + 3], t[at + 4], t[at + 5], t[at + 6]);
        const s = length > 0 ? 1 / length : 0;
        this.model.setMover(
            m,
            t[at] * q - o[0],
            t[at + 1] * q - o[1],
            t[at + 2] * q - o[2],
            t[at + 3] * s,
            t[at + 4] * s,
            t[at + 5] * s,
            length > 0 ? t[at + 6] * s : 1,
        );
    }

    next(isShown) {
        const r = this.reader;
        const model = this.model;
        this.readNumbers(r);
        model.readBodies(r);
        let m = 0;
        for (let left = r.varint(); left > 0; --left) {
            m += r.varint();
            this.grow(m + 1);
            this.readWhole(r, m);
            this.show(m);
        }
        m = 0;
        for (let left = r.varint(); left > 0; --left) {
            m += r.varint();
            const flags = r.u8();
            model.setFlags(m, (flags & 1) !== 0);
        }
        this.readActive(r);
        this.readPoses(r, isShown);
        ++this.frame;
    }

    readNumbers(r) {
        const step = r.varint();
        this.model.beginFrame(step, r.f64());
        this.hash = r.hex64();
        this.stats = r.floats(r.varint());
        const count = r.varint();
        const events = Array.from({ length: count }, () => ({ kind: r.u8(), step, value: 0 }));
        for (const event of events) event.a = r.varint();
        for (const event of events) event.b = r.varint();
        const hit = this.recording.info.event_names.indexOf('hit');
        for (const event of events) if (event.kind === hit) event.value = r.f32();
        this.events.push(...events);
    }

    grow(count) {
        this.count = Math.max(this.count, count);
        if (this.tracks.length >= 2 * COLUMNS * count) return;
        const bigger = new Float64Array(2 * COLUMNS * 2 * count);
        bigger.set(this.tracks);
        this.tracks = bigger;
    }

    // Those that begin or cease to move are named; the list stays in order.
    readActive(r) {
        const toggled = [];
        let m = 0;
        for (let left = r.varint(); left > 0; --left) toggled.push((m += r.varint()));
        if (toggled.length === 0) return;
        const t = this.tracks;
        for (const index of toggled)
            t.copyWithin(2 * COLUMNS * index + COLUMNS, 2 * COLUMNS * index, 2 * COLUMNS * index + COLUMNS);
        const merged = [];
        let i = 0;
        let j = 0;
        while (i < this.active.length || j < toggled.length) {
            if (j >= toggled.length || this.active[i] < toggled[j]) merged.push(this.active[i++]);
            else if (i >= this.active.length || toggled[j] < this.active[i]) merged.push(toggled[j++]);
            else ++i, ++j;
        }
        this.active = merged;
    }

    readPoses(r, isShown) {
        const t = this.tracks;
        for (let c = 0; c < COLUMNS; ++c)
            for (const m of this.active) {
                const at = 2 * COLUMNS * m + c;
                const now = t[at];
                t[at] = 2 * now - t[at + COLUMNS] + r.signed();
                t[at + COLUMNS] = now;
            }
        if (isShown) for (const m of this.active) this.show(m);
    }
}

// The numbers of every frame, gathered a chunk at a time so that the page stays alive.
export function gatherStats(recording, makeModel, onChunk) {
    const player = new Player(recording, makeModel());
    player.isBlind = true;
    let frame = 0;
    const turn = () => {
        const end = Math.min(frame + recording.chunks[recording.chunkOf(frame)].frames, recording.frameCount);
        const rows = [];
        for (; frame < end; ++frame) {
            player.seek(frame);
            rows.push({ frame, time: player.model.time, stats: player.stats, events: player.events });
        }
        player.model.changedBodies.clear();
        onChunk(rows, frame >= recording.frameCount);
        if (frame < recording.frameCount) setTimeout(turn, 0);
    };
    turn();
}
