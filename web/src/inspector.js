// One body in numbers.
const list = (values) => values.map((v) => (Math.abs(v) < 0.0005 ? 0 : v).toFixed(3)).join(', ');
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export function showBody(place, app, body) {
    const length = (v) => Math.hypot(...v);
    const rows = [
        ['kind', `${body.kind}, ${[...new Set(body.shapes)].join(', ')}${body.shapes.length > 1 ? ` (${body.shapes.length})` : ''}`],
        ['mass', body.kind === 'dynamic' ? `${Number(body.mass.toPrecision(4))} kg` : '–'],
        ['position, m', list(body.position)],
        ['speed', `${(body.speed ?? length(body.velocity)).toFixed(3)} m/s`],
    ];
    if (body.spin) rows.push(['spin', `${length(body.spin).toFixed(3)} rad/s`]);
    rows.push(['state', body.awake ? 'awake' : 'asleep']);
    const shown = app.model.bodies[body.body];
    const wasMagnet = (app.model.visuals[shown?.visual]?.flags & 2) !== 0;
    if (body.magnet || (wasMagnet && body.magnet !== undefined)) rows.push(['magnet', body.magnet ? 'on' : 'off']);
    if (shown?.collection > 0) {
        const members = app.model.bodies.filter((b) => b && b.collection === shown.collection).length;
        rows.push(['collection', `with ${members - 1} others`]);
    }
    if (body.contacts) {
        const others = [...new Set(body.contacts)];
        rows.push(['contacts', `${body.contacts.length} with ${others.length} bodies`]);
        rows.push(['force', `${Number(body.contact_force.toPrecision(3))} N`]);
    }
    const title = escape(body.name || `body ${body.body}`);
    const cells = rows.map(([name, value]) => `<tr><td>${name}</td><td>${escape(value)}</td></tr>`).join('');
    place.innerHTML = `<h3>${title}<button title="Close">✕</button></h3><table>${cells}</table>`;
    place.querySelector('button').onclick = () => app.choose(-1);
    place.hidden = false;
}
