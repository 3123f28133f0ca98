// Lines and dots on top of the bodies: contacts with their forces, the contact graph, bounds, joints, what is dragged.
import * as THREE from 'three';
import { DYNAMIC } from './model.js';

const COLORS = {
    contact: new THREE.Color(0xd7301f),
    force: new THREE.Color(0x1f5fd7),
    near: new THREE.Color(0x8a94a3),
    touching: new THREE.Color(0x1a9641),
    merged: new THREE.Color(0xe6308a),
    awake: new THREE.Color(0xe08214),
    asleep: new THREE.Color(0x9aa3ad),
    joint: new THREE.Color(0xb44dff),
    gap: new THREE.Color(0xff0000),
    drag: new THREE.Color(0xff8800),
    holds: new THREE.Color(0x1a9641),
    strained: new THREE.Color(0xe8a317),
    slides: new THREE.Color(0xd7301f),
};

const RING = Array.from({ length: 9 }, (_, k) => [Math.cos((k * Math.PI) / 4), Math.sin((k * Math.PI) / 4)]);

// The middle of a large floor tells nothing.
function isSmall(model, index) {
    const body = model.bodies[index];
    const visual = body && model.visuals[body.visual];
    return visual && (visual.type === DYNAMIC || (visual.radius > 0 && visual.radius < 2));
}

// Pairs of points, made anew each frame in buffers that only grow.
class Lines {
    constructor(scene) {
        this.geometry = new THREE.BufferGeometry();
        const material = new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
        this.lines = new THREE.LineSegments(this.geometry, material);
        this.lines.frustumCulled = false;
        this.lines.renderOrder = 10;
        scene.add(this.lines);
        this.reserve(1024);
    }
    reserve(points) {
        this.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(points * 3), 3));
        this.geometry.setAttribute('color', new THREE.BufferAttribute(new Float32Array(points * 3), 3));
        this.capacity = points;
    }
    begin(points) {
        if (points > this.capacity) {
            this.geometry.dispose();
            this.reserve(Math.max(points, 2 * this.capacity));
        }
        this.count = 0;
        this.positions = this.geometry.getAttribute('position').array;
        this.colors = this.geometry.getAttribute('color').array;
    }
    point(x, y, z, color) {
        const at = 3 * this.count++;
        this.positions[at] = x;
        this.positions[at + 1] = y;
        this.positions[at + 2] = z;
        this.colors[at] = color.r;
        this.colors[at + 1] = color.g;
        this.colors[at + 2] = color.b;
    }
    line(ax, ay, az, bx, by, bz, color) {
        this.point(ax, ay, az, color);
        this.point(bx, by, bz, color);
    }
    end() {
        this.lines.visible = this.count > 0; // what draws nothing would still be made ready
        this.geometry.setDrawRange(0, this.count);
        this.geometry.getAttribute('position').needsUpdate = true;
        this.geometry.getAttribute('color').needsUpdate = true;
    }
}

export class Overlays {
    constructor(scene) {
        this.lines = new Lines(scene);
        this.forceScale = 0;
        this.unit = 1; // radius of a typical body, metres
        this.far = 1; // from the camera to what it looks at, metres: marks stay large enough to be seen
        this.scratch = new THREE.Color();
        this.drag = null; // {body, local: Vector3, target: Vector3}
    }

    update(model) {
        const { contacts, graph, bounds, joints, friction, welds } = model.overlays;
        const count =
            (contacts?.length ?? 0) +
            2 * (friction?.length ?? 0) +
            4 * (welds?.length ?? 0) +
            2 * (graph?.length ?? 0) +
            24 * (bounds?.length ?? 0) +
            12 * (joints?.length ?? 0);
        this.lines.begin(count + 16);
        if (contacts) this.drawContacts(contacts);
        if (graph) this.drawGraph(graph, model);
        if (bounds) this.drawBounds(bounds);
        if (joints) this.drawJoints(joints, model);
        if (friction) this.drawFriction(friction);
        if (welds) this.drawWelds(welds, model);
        if (this.drag) this.drawDrag(model);
        this.lines.end();
    }

    cross(x, y, z, color) {
        const s = Math.max(0.05 * this.unit, 0.004 * this.far);
        this.lines.line(x - s, y, z, x + s, y, z, color);
        this.lines.line(x, y - s, z, x, y + s, z, color);
        this.lines.line(x, y, z - s, x, y, z + s, color);
    }

    // A small cross, and the force as a line along the normal; the strongest is about as long as a body.
    drawContacts(c) {
        let strongest = 1e-6;
        for (let i = 7; i < c.length; i += 8) strongest = Math.max(strongest, c[i]);
        // Follows slowly, so that one hit does not make all the others vanish.
        this.forceScale = this.forceScale > 0 ? Math.max(strongest, 0.97 * this.forceScale) : strongest;
        for (let i = 0; i < c.length; i += 8) {
            const [x, y, z, nx, ny, nz] = c.subarray(i, i + 6);
            this.cross(x, y, z, COLORS.contact);
            const f = Math.max(1.5 * this.unit, 0.05 * this.far) * Math.sqrt(c[i + 7] / this.forceScale);
            this.lines.line(x, y, z, x + f * nx, y + f * ny, z + f * nz, COLORS.force);
        }
    }

    // Where surfaces rub: a ring for all that friction could give, a line for what it gives.
    drawFriction(f) {
        const r = Math.max(0.2 * this.unit, 0.007 * this.far);
        for (let i = 0; i < f.length; i += 9) {
            const [x, y, z, nx, ny, nz, tx, ty, tz] = f.subarray(i, i + 9);
            const use = Math.hypot(tx, ty, tz);
            const color = use > 0.98 ? COLORS.slides : use > 0.7 ? COLORS.strained : COLORS.holds;
            // Two directions in the surface.
            const [sx, sy, sz] = Math.abs(nx) < 0.7 ? [0, nz, -ny] : [-nz, 0, nx];
            const s = r / Math.hypot(sx, sy, sz);
            const [ux, uy, uz] = [s * sx, s * sy, s * sz];
            const [vx, vy, vz] = [ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux];
            for (let k = 0; k < 8; ++k) {
                const [c0, s0] = RING[k];
                const [c1, s1] = RING[k + 1];
                this.lines.line(
                    x + c0 * ux + s0 * vx, y + c0 * uy + s0 * vy, z + c0 * uz + s0 * vz,
                    x + c1 * ux + s1 * vx, y + c1 * uy + s1 * vy, z + c1 * uz + s1 * vz,
                    color,
                );
            }
            this.lines.line(x, y, z, x + r * tx, y + r * ty, z + r * tz, color);
        }
    }

    // From body to body through the contact, yellow to red as it comes to its end.
    drawWelds(welds, model) {
        const pose = new Float64Array(7);
        for (const { point: p, strain, a, b } of welds) {
            this.scratch.copy(COLORS.strained).lerp(COLORS.slides, Math.max(0, 2 * strain - 1));
            for (const body of [a, b]) {
                if (!isSmall(model, body)) continue;
                model.pose(body, pose);
                this.lines.line(pose[0], pose[1], pose[2], p[0], p[1], p[2], this.scratch);
            }
        }
    }

    drawGraph(edges, model) {
        const a = new Float64Array(7);
        const b = new Float64Array(7);
        for (const [first, second, flags] of edges) {
            if (!isSmall(model, first) || !isSmall(model, second)) continue;
            model.pose(first, a);
            model.pose(second, b);
            const color = flags & 2 ? COLORS.merged : flags & 1 ? COLORS.touching : COLORS.near;
            this.lines.line(a[0], a[1], a[2], b[0], b[1], b[2], color);
        }
    }

    drawBounds(boxes) {
        for (const [x0, y0, z0, x1, y1, z1, isAwake] of boxes) {
            const color = isAwake ? COLORS.awake : COLORS.asleep;
            for (const [y, z] of [[y0, z0], [y0, z1], [y1, z0], [y1, z1]]) this.lines.line(x0, y, z, x1, y, z, color);
            for (const [x, z] of [[x0, z0], [x0, z1], [x1, z0], [x1, z1]]) this.lines.line(x, y0, z, x, y1, z, color);
            for (const [x, y] of [[x0, y0], [x0, y1], [x1, y0], [x1, y1]]) this.lines.line(x, y, z0, x, y, z1, color);
        }
    }

    drawJoints(joints, model) {
        const pose = new Float64Array(7);
        for (const { points: p, a, b } of joints) {
            for (const [body, at] of [[a, 0], [b, 3]]) {
                if (!model.bodies[body]) continue;
                model.pose(body, pose);
                this.lines.line(pose[0], pose[1], pose[2], p[at], p[at + 1], p[at + 2], COLORS.joint);
            }
            this.cross(p[0], p[1], p[2], COLORS.joint);
            this.lines.line(p[0], p[1], p[2], p[3], p[4], p[5], COLORS.gap);
        }
    }

    drawDrag(model) {
        const { body, local, target } = this.drag;
        if (!model.bodies[body]) return;
        const pose = model.pose(body);
        const from = local
            .clone()
            .applyQuaternion(new THREE.Quaternion(pose[3], pose[4], pose[5], pose[6]))
            .add(new THREE.Vector3(pose[0], pose[1], pose[2]));
        this.lines.line(from.x, from.y, from.z, target.x, target.y, target.z, COLORS.drag);
    }
}
