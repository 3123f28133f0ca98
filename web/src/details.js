// What can be shown besides bodies, as src/viewer/overlays.cpp and channels.cpp write it: to a live page, or in a recording.
export const OVERLAYS = { contacts: 1, graph: 2, bounds: 4, joints: 8, friction: 16, welds: 32 };

export function readDetails(reader, model, channels) {
    readOverlays(reader, model);
    readChannels(reader, model, channels);
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
