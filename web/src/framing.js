// What there is to see, and from how far.
import * as THREE from 'three';
import { DYNAMIC, KINEMATIC, STATIC } from './model.js';
import { scaleOf } from './instances.js';

const corner = new THREE.Vector3();

// The box about one body as it stands.
function bodyBox(visual, pose, box) {
    const turn = new THREE.Quaternion(pose[3], pose[4], pose[5], pose[6]);
    box.makeEmpty();
    for (const shape of visual.shapes) {
        const own = new THREE.Quaternion(...shape.pose.slice(3));
        const [x, y, z, pulled] = shape.asset === undefined ? scaleOf(shape) : Array(4).fill(0.5 * visual.radius);
        for (let k = 0; k < 8; ++k) {
            corner.set(k & 1 ? x : -x, (k & 2 ? 1 : -1) * (y + pulled), k & 4 ? z : -z).applyQuaternion(own);
            corner.x += shape.pose[0];
            corner.y += shape.pose[1];
            corner.z += shape.pose[2];
            corner.applyQuaternion(turn);
            corner.x += pose[0];
            corner.y += pose[1];
            corner.z += pose[2];
            box.expandByPoint(corner);
        }
    }
    return box;
}

// Where most of what moves is: a few dynamic bodies that flew off do not count, nor does what is larger than all the rest.
export function boundsOf(model) {
    const pose = new Float64Array(7);
    const box = new THREE.Box3();
    const gather = (isWanted, add) => {
        model.bodies.forEach((body, index) => {
            const visual = body && model.visuals[body.visual];
            if (!body || visual.radius === 0 || visual.radius > 60 || !isWanted(visual)) return;
            add(bodyBox(visual, model.pose(index, pose), box));
        });
    };
    const sides = [[], [], [], [], [], []];
    gather(
        (visual) => visual.type === DYNAMIC,
        ({ min, max }) => [...min, ...max].forEach((value, side) => sides[side].push(value)),
    );
    const all = new THREE.Box3();
    if (sides[0].length > 0) {
        const cut = sides.map((values, side) => {
            values.sort((a, b) => a - b);
            const out = Math.floor(0.01 * values.length);
            return values[side < 3 ? out : values.length - 1 - out];
        });
        all.set(new THREE.Vector3(...cut.slice(0, 3)), new THREE.Vector3(...cut.slice(3)));
    }
    gather((visual) => visual.type === KINEMATIC, (one) => all.union(one));
    if (all.isEmpty()) gather((visual) => visual.type === STATIC, (one) => all.union(one));
    if (all.isEmpty()) all.set(new THREE.Vector3(-5, 0, -5), new THREE.Vector3(5, 5, 5));
    return all;
}

// From the middle of the box along `towards`, so that all its corners are in the picture with some room around.
export function distanceToSee(box, towards, camera) {
    const room = 0.82;
    const tall = room * Math.tan((0.5 * camera.fov * Math.PI) / 180);
    const wide = tall * camera.aspect;
    const right = new THREE.Vector3(0, 1, 0).cross(towards).normalize();
    const up = towards.clone().cross(right);
    const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    let distance = 0;
    for (let k = 0; k < 8; ++k) {
        corner.set(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
        const beside = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / tall);
        distance = Math.max(distance, corner.dot(towards) + beside);
    }
    return distance;
}

// The radius of a body in the middle between small and large: marks on bodies are sized by it.
export function typicalSize(model) {
    const radii = model.visuals.filter((v) => v.type === DYNAMIC && v.radius > 0).map((v) => v.radius);
    radii.sort((a, b) => a - b);
    return radii[Math.floor(radii.length / 2)] ?? 1;
}

// How high the highest endless floor is that lies level.
export function floorOf(model) {
    const pose = new Float64Array(7);
    const turn = new THREE.Quaternion();
    let height = -Infinity;
    model.bodies.forEach((body, index) => {
        const shapes = body ? model.visuals[body.visual].shapes.filter((shape) => shape.kind === 'half_space') : [];
        for (const shape of shapes) {
            model.pose(index, pose);
            turn.set(pose[3], pose[4], pose[5], pose[6]);
            const up = corner.set(0, 1, 0).applyQuaternion(new THREE.Quaternion(...shape.pose.slice(3))).applyQuaternion(turn).y;
            const at = corner.fromArray(shape.pose).applyQuaternion(turn).y + pose[1];
            if (up > 0.99) height = Math.max(height, at);
        }
    });
    return height;
}

// How far a floor that is a flat box reaches from its middle; without end where there is none, or an endless one.
export function reachOfFloor(model) {
    let reach = 0;
    for (const visual of model.visuals) {
        if (visual.type !== STATIC) continue;
        for (const shape of visual.shapes) {
            if (shape.kind === 'half_space') return Infinity;
            const [x, y, z] = scaleOf(shape);
            if (shape.kind === 'box' && y < 0.2 * Math.min(x, z)) reach = Math.max(reach, Math.min(x, z));
        }
    }
    return reach > 10 ? reach : Infinity;
}
