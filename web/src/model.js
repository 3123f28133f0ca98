// What is shown: bodies that hang on movers. Fed by a live server or by a recording, drawn by view.js.

export const SHAPES = ['sphere', 'capsule', 'cylinder', 'box', 'half_space', 'hull', 'mesh', 'height_field'];
export const STATIC = 0;
export const KINEMATIC = 1;
export const DYNAMIC = 2;
export const IS_TRIGGER = 1;

const AWAKE = 1;

export class Model {
    constructor() {
        this.clear();
    }

    clear() {
        this.visuals = [];
        this.assets = []; // {vertices: Float32Array, indices: Uint32Array}
        this.bodies = []; // by index: {visual, mover, collection, local: [px py pz qx qy qz qw]} or undefined
        this.movers = new Float32Array(8 * 1024); // px py pz flags qx qy qz qw
        this.moverCount = 0;
        this.speeds = new Float32Array(1024);
        this.speedStamps = new Uint32Array(1024);
        this.stamp = 0;
        this.origin = [0, 0, 0];
        this.step = 0;
        this.time = 0;
        this.channels = {};
        this.overlays = {};
        this.changedBodies = new Set();
        this.isWhole = true; // everything must be drawn anew
        this.moversChanged = true;
    }

    reserveMovers(count) {
        if (count * 8 > this.movers.length) {
            const size = Math.max(count, this.movers.length / 4);
            const grow = (Type, old, each) => {
                const bigger = new Type(size * each);
                bigger.set(old);
                return bigger;
            };
            this.movers = grow(Float32Array, this.movers, 8);
            this.speeds = grow(Float32Array, this.speeds, 1);
            this.speedStamps = grow(Uint32Array, this.speedStamps, 1);
        }
        for (; this.moverCount < count; ++this.moverCount) this.movers[8 * this.moverCount + 7] = 1;
    }

    beginFrame(step, time) {
        this.passed = time - this.time;
        this.step = step;
        this.time = time;
        ++this.stamp;
    }

    setMover(index, px, py, pz, qx, qy, qz, qw) {
        if (index >= this.moverCount) this.reserveMovers(index + 1);
        const m = this.movers;
        const at = 8 * index;
        if (this.passed > 0) {
            this.speeds[index] = Math.hypot(px - m[at], py - m[at + 1], pz - m[at + 2]) / this.passed;
            this.speedStamps[index] = this.stamp;
        }
        m[at] = px;
        m[at + 1] = py;
        m[at + 2] = pz;
        m[at + 4] = qx;
        m[at + 5] = qy;
        m[at + 6] = qz;
        m[at + 7] = qw;
        this.moversChanged = true;
    }

    setFlags(index, isAwake) {
        if (index >= this.moverCount) this.reserveMovers(index + 1);
        this.movers[8 * index + 3] = isAwake ? AWAKE : 0;
        this.flagsChanged = true;
    }

    setBody(index, body) {
        if (body) this.reserveMovers(body.mover + 1);
        this.bodies[index] = body;
        this.changedBodies.add(index);
    }

    isAwake(body) {
        return (this.movers[8 * body.mover + 3] & AWAKE) !== 0;
    }
    speed(body) {
        return this.speedStamps[body.mover] === this.stamp ? this.speeds[body.mover] : 0;
    }

    // Where a body is, relative to `origin`; makes no garbage, since it is asked of all bodies for each picture.
    position(body, out) {
        const m = this.movers;
        const at = 8 * body.mover;
        const [x, y, z] = body.local;
        const a = m[at + 4];
        const b = m[at + 5];
        const c = m[at + 6];
        const w = m[at + 7];
        const tx = 2 * (b * z - c * y);
        const ty = 2 * (c * x - a * z);
        const tz = 2 * (a * y - b * x);
        out[0] = m[at] + x + w * tx + b * tz - c * ty;
        out[1] = m[at + 1] + y + w * ty + c * tx - a * tz;
        out[2] = m[at + 2] + z + w * tz + a * ty - b * tx;
    }

    // The pose of a body relative to `origin`: [px py pz qx qy qz qw].
    pose(index, out = new Float64Array(7)) {
        const body = this.bodies[index];
        const m = this.movers;
        const at = 8 * body.mover;
        const l = body.local;
        const q = [m[at + 4], m[at + 5], m[at + 6], m[at + 7]];
        const p = rotate(q, l[0], l[1], l[2]);
        out[0] = m[at] + p[0];
        out[1] = m[at + 1] + p[1];
        out[2] = m[at + 2] + p[2];
        out[3] = q[3] * l[3] + q[0] * l[6] + q[1] * l[5] - q[2] * l[4];
        out[4] = q[3] * l[4] - q[0] * l[5] + q[1] * l[6] + q[2] * l[3];
        out[5] = q[3] * l[5] + q[0] * l[4] - q[1] * l[3] + q[2] * l[6];
        out[6] = q[3] * l[6] - q[0] * l[3] - q[1] * l[4] - q[2] * l[5];
        return out;
    }

    // ---- what src/record/visuals.cpp and frame_codec.cpp write ----

    readVisuals(reader) {
        for (let left = reader.varint(); left > 0; --left) {
            const vertices = reader.floats(3 * reader.varint());
            const indices = new Uint32Array(reader.varint());
            for (let i = 0; i < indices.length; ++i) indices[i] = reader.varint();
            this.assets.push({ vertices, indices });
        }
        for (let left = reader.varint(); left > 0; --left) this.visuals.push(readVisual(reader));
    }

    readBodies(reader) {
        let index = 0;
        for (let left = reader.varint(); left > 0; --left) {
            index += reader.varint();
            const kind = reader.u8();
            if (kind === 0) {
                this.setBody(index, undefined);
                continue;
            }
            const visual = reader.varint();
            const mover = reader.varint();
            const collection = reader.varint(); // 0: free
            const local = kind === 1 ? [0, 0, 0, 0, 0, 0, 1] : Array.from(reader.floats(7));
            this.setBody(index, { visual, mover, collection, local });
        }
    }
}

function readVisual(reader) {
    const visual = { body: reader.varint(), type: reader.u8(), flags: reader.u8(), color: reader.u32() };
    visual.mass = reader.f32();
    visual.radius = reader.f32();
    visual.name = reader.text();
    visual.shapes = [];
    for (let left = reader.varint(); left > 0; --left) {
        const shape = { kind: SHAPES[reader.u8()], pose: reader.floats(7) };
        if (shape.kind === 'sphere') shape.size = [reader.f32()];
        else if (shape.kind === 'box') shape.size = reader.floats(3);
        else if (shape.kind === 'capsule' || shape.kind === 'cylinder') shape.size = reader.floats(2);
        else if (shape.kind !== 'half_space') shape.asset = reader.varint();
        visual.shapes.push(shape);
    }
    return visual;
}

export function rotate(q, x, y, z) {
    const [a, b, c, w] = q;
    const tx = 2 * (b * z - c * y);
    const ty = 2 * (c * x - a * z);
    const tz = 2 * (a * y - b * x);
    return [x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx];
}
