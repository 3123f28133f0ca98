// The page in a real browser. MORAINE is the command, CHROMIUM the browser; both have defaults.
//   node --test tests/web/viewer.test.mjs
// SCREENSHOTS=folder keeps pictures of what was seen.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const moraine = resolve(process.env.MORAINE ?? 'build/bin/moraine');
const modules = resolve(process.env.MODULES ?? 'tests/web/node_modules');
const { chromium } = createRequire(join(modules, 'here.js'))('playwright-core');
const patience = { timeout: 90_000 };

let browser;
const folder = mkdtempSync(join(tmpdir(), 'moraine_web_'));

before(async () => {
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
    });
});
after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
});

// Serves until the test is over; gives the address that moraine printed.
async function serve(t, ...command) {
    const server = spawn(moraine, [...command, '--port', '0', '--no-browser']);
    t.after(() => server.kill());
    for await (const text of server.stdout) {
        const found = /http:\S+/.exec(String(text));
        if (found) return found[0];
    }
    throw new Error('moraine printed no address');
}

// A page that must not complain, small because the pictures are drawn without a graphics card.
async function open(t, address) {
    const page = await browser.newPage({ viewport: { width: 560, height: 380 } });
    const complaints = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    t.after(async () => {
        await page.close();
        assert.deepEqual(complaints, []);
    });
    const url = new URL(address);
    url.searchParams.set('quality', 'low');
    await page.goto(url.href, { waitUntil: 'commit', ...patience });
    await page.waitForFunction(() => window.app?.pictures > 1 && app.view.instances.groups.size > 0, null, patience);
    return page;
}

async function keep(page, name) {
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), ...patience });
}

// Without waiting for the page to stand still, which a slow machine's never does.
const press = (page, id) => page.evaluate((name) => document.getElementById(name).click(), id);
const step = (page) => page.evaluate(() => app.model.step);

test('a live scene moves, pauses, steps forward and back', async (t) => {
    const page = await open(t, await serve(t, 'view', 'pyramid', '--param', 'base=4'));
    const start = await step(page);
    await page.waitForFunction((s) => app.model.step > s + 20, start, patience);
    await press(page, 'play');
    await page.waitForFunction(() => !app.source.isPlaying, null, patience);
    const paused = await step(page);
    await press(page, 'step');
    await page.waitForFunction((s) => app.model.step === s + 1, paused, patience);
    await press(page, 'back');
    await page.waitForFunction((s) => app.model.step === s, paused, patience);
    await keep(page, 'pyramid');
});

test('a drag moves a body, a click chooses it', async (t) => {
    const page = await open(t, await serve(t, 'view', 'pyramid', '--param', 'base=2'));
    const box = await page.evaluate(() => app.model.visuals[app.model.bodies.find((b) => b && app.model.visuals[b.visual].type === 2).visual].body);
    await page.evaluate(() => app.view.frameAll());
    // Where the body is on the screen.
    const place = () =>
        page.evaluate((index) => {
            app.view.camera.updateMatrixWorld();
            const pose = app.model.pose(index);
            const p = app.view.controls.target.clone().set(pose[0], pose[1], pose[2]).project(app.view.camera);
            return { x: ((p.x + 1) / 2) * innerWidth, y: ((1 - p.y) / 2) * innerHeight, height: pose[1] };
        }, box);
    const from = await place();
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 10, from.y - 60, { steps: 3 });
    await page.waitForFunction(([i, h]) => app.model.pose(i)[1] > h + 0.1, [box, from.height], patience);
    await page.mouse.up();
    await page.waitForFunction(([i, h]) => app.model.pose(i)[1] < h + 0.1, [box, from.height], patience);
    const now = await place();
    await page.mouse.click(now.x, now.y);
    await page.waitForFunction(() => app.view.selected >= 0 && !document.getElementById('inspector').hidden, null, patience);
});

test('colours follow the mode, overlays arrive', async (t) => {
    const page = await open(t, await serve(t, 'view', 'pyramid', '--param', 'base=4', '--paused'));
    await press(page, 'step');
    const tint = () => page.evaluate(() => Array.from(app.view.instances.groups.get('box').geometry.getAttribute('iTint').array.slice(3, 30)).join());
    const first = await tint();
    await page.evaluate(() => app.setMode('speed'));
    assert.notEqual(await tint(), first);
    await page.evaluate(() => app.setMode('body'));
    assert.equal(await tint(), first);
    for (const name of ['contacts', 'friction', 'graph', 'bounds']) await page.evaluate((n) => app.source.want(n, true), name);
    await press(page, 'step');
    await page.waitForFunction(
        () => ['contacts', 'friction', 'graph', 'bounds'].every((name) => app.model.overlays[name]?.length > 0),
        null,
        patience,
    );
    // What the server knows about bodies makes a way to colour of its own.
    for (const mode of await page.evaluate(() => app.source.channels.map((c) => c.name))) {
        await page.evaluate((m) => app.setMode(m), mode);
        await press(page, 'step');
        await page.waitForFunction((m) => app.model.channels[m]?.length > 10, mode, patience);
    }
    await page.waitForFunction((f) => Array.from(app.view.instances.groups.get('box').geometry.getAttribute('iTint').array.slice(3, 30)).join() !== f, first, patience);
});

test('the picker finds scenes, settings change the world', async (t) => {
    const page = await open(t, await serve(t, 'view', 'pyramid', '--param', 'base=3', '--paused', '--color', 'collection'));
    assert.equal(await page.evaluate(() => app.view.mode), 'collection');
    const shown = () => page.evaluate(() => [...document.querySelectorAll('#scenes button:not([hidden]) b')].map((b) => b.textContent));
    await press(page, 'scene');
    const all = await shown();
    assert.ok(all.length >= 20 && all.includes('wagon'));
    // Each card shows its name and what it is.
    assert.ok(await page.evaluate(() => [...document.querySelectorAll('#scenes button')].every((b) => b.scrollHeight <= b.clientHeight + 2)));
    await page.evaluate(() => {
        const field = document.getElementById('find');
        field.value = 'deck boxes';
        field.dispatchEvent(new Event('input'));
    });
    assert.ok((await shown()).includes('ferry') && (await shown()).length < all.length / 2);
    await page.evaluate(() => [...document.querySelectorAll('#scenes button')].find((b) => b.innerText.includes('card_house')).click());
    await page.waitForFunction(() => app.hello.scene === 'card_house' && app.model.bodies.length > 10, null, patience);
    await page.evaluate(() => app.source.send({ do: 'setting', text: 'gravity', value: 0 }));
    await page.evaluate(() => app.source.send({ do: 'setting', text: 'no_such_thing', value: 0 }));
    await page.waitForFunction(() => document.getElementById('notice').textContent.includes('no_such_thing'), null, patience);
});

test('shooting, poking and magnets reach the world', async (t) => {
    const page = await open(t, await serve(t, 'view', 'pyramid', '--param', 'base=2'));
    const count = await page.evaluate(() => app.model.visuals.length);
    await page.evaluate(() => {
        app.setTool('shoot');
        app.mouse.click(innerWidth / 2, innerHeight / 2);
    });
    await page.waitForFunction((c) => app.model.visuals.length === c + 1, count, patience);
    await page.evaluate(() => {
        app.setTool('poke');
        const index = app.model.bodies.findIndex((b) => b && app.model.visuals[b.visual].type === 2);
        const pose = app.model.pose(index);
        app.view.camera.updateMatrixWorld();
        const p = app.view.controls.target.clone().set(pose[0], pose[1], pose[2]).project(app.view.camera);
        const [x, y] = [((p.x + 1) / 2) * innerWidth, ((1 - p.y) / 2) * innerHeight];
        app.mouse.hit = app.view.pick(x, y);
        window.poked = [app.mouse.hit.body, Array.from(app.model.pose(app.mouse.hit.body))];
        app.mouse.click(x, y);
    });
    await page.waitForFunction(() => Math.hypot(...[0, 1, 2].map((c) => app.model.pose(poked[0])[c] - poked[1][c])) > 0.1, null, patience);
    await page.evaluate(() => {
        app.setTool('magnet');
        app.mouse.click(0, 0);
    });
    await page.waitForFunction(() => /magnet on/.test(document.getElementById('notice').textContent), null, patience);
});

test('a recording replays to the recorded poses, from the server and from disk', async (t) => {
    const file = join(folder, 'run.mrec');
    execFileSync(moraine, ['run', 'pyramid', '--param', 'base=4', '--steps', '150', '--record', file], { stdio: 'ignore' });
    execFileSync(moraine, ['export', file, '-o', join(folder, 'run.csv')]);
    execFileSync(moraine, ['export', file, '-o', join(folder, 'run.html')]);
    const rows = readFileSync(join(folder, 'run.csv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
    const expected = (frame) => rows.filter((row) => row[0] === frame);
    for (const address of [await serve(t, 'replay', file), pathToFileURL(join(folder, 'run.html')).href]) {
        const page = await open(t, address);
        await page.evaluate(() => app.source.send({ do: 'pause' }));
        for (const frame of [150, 0, 75, 61]) {
            await page.evaluate((f) => {
                const scrub = document.getElementById('scrub');
                scrub.value = f;
                scrub.dispatchEvent(new Event('input'));
            }, frame);
            const shown = await page.evaluate(() => app.model.bodies.map((b, i) => (b ? Array.from(app.model.pose(i)) : null)));
            for (const [, , body, ...pose] of expected(frame))
                for (let c = 0; c < 7; ++c)
                    assert.ok(Math.abs(shown[body][c] - pose[c]) < 1e-4, `frame ${frame}, body ${body}, ${c}: ${shown[body][c]} and ${pose[c]}`);
        }
        await keep(page, address.startsWith('file') ? 'page_from_disk' : 'replay');
    }
});

test('what is simulated while a page looks on is recorded', async (t) => {
    const [file, second] = ['viewed.mrec', 'viewed-2.mrec'].map((name) => join(folder, name));
    const page = await open(t, await serve(t, 'view', 'pyramid', '--param', 'base=3', '--record', file));
    assert.ok(await page.isVisible('#rec'));
    await page.waitForFunction(() => app.model.step > 70, null, patience);
    await press(page, 'play');
    await page.waitForFunction(() => !app.source.isPlaying, null, patience);
    const paused = await step(page);
    for (let i = 1; i <= 15; ++i) {
        await press(page, 'back');
        await page.waitForFunction((s) => app.model.step === s, paused - i, patience);
    }
    // Another way on than before.
    await page.evaluate(() => app.source.send({ do: 'shoot', a: [0, 1, 3], b: [0, 0, -20], value: 0.3 }));
    for (let i = 1; i <= 5; ++i) {
        await press(page, 'step');
        await page.waitForFunction((s) => app.model.step === s, paused - 15 + i, patience);
    }
    const poses = () => page.evaluate(() => app.model.bodies.map((b, i) => (b ? Array.from(app.model.pose(i)) : null)));
    const shown = await poses();
    await press(page, 'reset'); // closes the first
    await page.waitForFunction(() => app.model.step === 0 && /viewed-2/.test(document.getElementById('rec').title), null, patience);
    await press(page, 'step');
    await page.waitForFunction(() => app.model.step === 1, null, patience);
    await press(page, 'reset'); // and the second
    await page.waitForFunction(() => app.model.step === 0, null, patience);
    const last = (recording) => {
        execFileSync(moraine, ['export', recording, '-o', join(folder, 'viewed.csv')]);
        const rows = readFileSync(join(folder, 'viewed.csv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
        return rows.filter((row) => row[0] === rows.at(-1)[0]);
    };
    const recorded = last(file);
    assert.equal(recorded[0][0], paused - 10);
    assert.equal(recorded.length, shown.filter((pose) => pose).length);
    for (const [, , body, ...pose] of recorded)
        for (let c = 0; c < 7; ++c) assert.ok(Math.abs(shown[body][c] - pose[c]) < 1e-3, `body ${body}, ${c}: ${shown[body][c]} and ${pose[c]}`);
    assert.equal(last(second)[0][0], 1);
});

test('a recording with details shows contacts, joints and channels', async (t) => {
    const file = join(folder, 'details.mrec');
    execFileSync(moraine, ['run', 'wagon', '--merging', 'on', '--steps', '90', '--record', file, '--record-details', 'all'], { stdio: 'ignore' });
    const page = await open(t, await serve(t, 'replay', file));
    await page.evaluate(() => app.source.send({ do: 'pause' }));
    await page.evaluate(() => app.source.seek(80));
    assert.deepEqual(await page.evaluate(() => Object.keys(app.model.overlays)), []);
    for (const name of ['contacts', 'joints']) await page.evaluate((n) => app.panels.gui.controllers.find((c) => c.property === n).setValue(true), name);
    const shown = () => page.evaluate(() => ({ names: Object.keys(app.model.overlays).sort(), joints: app.model.overlays.joints?.length, contacts: app.model.overlays.contacts?.length, lines: app.view.overlays.lines.count }));
    await page.waitForFunction(() => app.view.overlays.lines.count > 100, null, patience);
    const now = await shown();
    assert.deepEqual(now.names, ['contacts', 'joints']);
    assert.equal(now.joints, 4); // of the wheels
    assert.ok(now.contacts > 8 * 100);
    // Every contact lies within reach of some body, so positions have the right origin.
    assert.ok(await page.evaluate(() => {
        const c = app.model.overlays.contacts;
        return Math.hypot(c[0] - app.view.controls.target.x, c[2] - app.view.controls.target.z) < 50;
    }));
    await page.evaluate(() => app.setMode('contact_force'));
    const force = () => page.evaluate(() => app.model.channels.contact_force.reduce((a, b) => a + b, 0));
    const before = await force();
    assert.ok(before > 0);
    await press(page, 'step');
    await page.waitForFunction((f) => app.model.channels.contact_force.reduce((a, b) => a + b, 0) !== f, before, patience);
    await keep(page, 'replay_details');
});

test('workers take the steps, and their colours are shown and recorded', async (t) => {
    const page = await open(t, await serve(t, 'view', 'bowl', '--param', 'count=300', '--workers', '2'));
    assert.equal(await page.evaluate(() => app.view.mode), 'worker');
    await page.waitForFunction(() => app.model.step > 30 && app.model.channels.worker?.length > 100, null, patience);
    const colors = () => page.evaluate(() => new Set(app.model.channels.worker).size);
    assert.ok((await colors()) > 2); // fixed bodies have none, then one each, then mixtures
    // Balls lie in the bowl, so there are contacts, each within reach of a ball.
    await page.evaluate(() => app.source.want('contacts', true));
    await page.waitForFunction(() => app.model.overlays.contacts?.length > 8 * 100, null, patience);
    await page.evaluate(() => app.source.want('contacts', false));
    await page.evaluate(() => app.source.send({ do: 'poke', body: 9, a: [0, 0, 0], b: [1, 0, 0] }));
    await page.waitForFunction(() => /workers/.test(document.getElementById('notice').textContent), null, patience);
    const before = await step(page);
    await press(page, 'reset');
    await page.waitForFunction((s) => app.model.step < s, before, patience);

    const file = join(folder, 'workers.mrec');
    execFileSync(moraine, ['run', 'bowl', '--param', 'count=300', '--workers', '2', '--steps', '60', '--record', file], { stdio: 'ignore' });
    const replayed = await open(t, await serve(t, 'replay', file));
    await replayed.evaluate(() => app.setMode('worker'));
    await replayed.waitForFunction(() => new Set(app.model.channels.worker ?? []).size > 2, null, patience);
});

test('modes of a model swing, one at a time', async (t) => {
    const file = join(folder, 'board.modes');
    execFileSync(moraine, ['modes', 'box:1x0.05x0.5', '--material', 'steel', '--fix', 'left', '--unknowns', '1500', '--modes', '4', '-o', file]);
    const page = await open(t, await serve(t, 'view', file));
    await page.evaluate(() => app.modeShapes.folder.open());
    await page.waitForFunction(() => app.modeShapes.mesh, null, patience);
    const seen = () => page.evaluate(() => {
        const { mesh, rest, shape, shown, reach } = app.modeShapes;
        const at = mesh.geometry.attributes.position.array;
        let furthest = 0;
        for (let i = 0; i < at.length; ++i) furthest = Math.max(furthest, Math.abs(at[i] - rest[i]));
        let most = 0;
        for (let i = 0; i < shape.length; i += 3) most = Math.max(most, Math.hypot(shape[i], shape[i + 1], shape[i + 2]));
        return { furthest, most, limit: shown.size * reach, label: document.querySelector('#panels').textContent };
    });
    await page.waitForFunction(() => app.modeShapes.mesh.geometry.attributes.position.array.some((x, i) => Math.abs(x - app.modeShapes.rest[i]) > 0.01), null, patience);
    const first = await seen();
    assert.ok(first.furthest <= first.limit * 1.001);
    assert.ok(Math.abs(first.most - 1) < 0.01);
    assert.match(first.label, /mode: \S+ Hz/);
    await page.evaluate(() => app.modeShapes.mode.setValue(3));
    assert.notEqual((await seen()).label, first.label);
    await keep(page, 'modes');
    await page.evaluate(() => app.modeShapes.folder.close());
    assert.ok(await page.evaluate(() => !app.modeShapes.mesh && [...app.view.instances.groups.values()].every((g) => g.mesh.visible)));
});

test('a report opens from disk', async (t) => {
    const [a, b, out] = ['a.mrec', 'b.mrec', 'report.html'].map((name) => join(folder, name));
    execFileSync(moraine, ['run', 'pyramid', '--param', 'base=4', '--steps', '60', '--record', a], { stdio: 'ignore' });
    execFileSync(moraine, ['run', 'pyramid', '--param', 'base=4', '--steps', '60', '--solver', 'pgs', '--record', b], { stdio: 'ignore' });
    execFileSync(moraine, ['report', a, b, '-o', out], { stdio: 'ignore' });
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    const complaints = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(pathToFileURL(out).href, { waitUntil: 'commit', ...patience });
    await page.waitForSelector('.uplot', patience);
    // Every plot within its card.
    await page.waitForFunction(
        () => [...document.querySelectorAll('.grid section')].every((s) => s.querySelector('.uplot').getBoundingClientRect().right <= s.getBoundingClientRect().right),
        null,
        patience,
    );
    assert.match(await page.textContent('main'), /first that differs|differ from the/);
    assert.deepEqual(complaints, []);
    await keep(page, 'report');
    await page.close();
});

// The pictures of README and docs: SCREENSHOTS=docs/images node --test --test-name-pattern=documentation tests/web/viewer.test.mjs
test('pictures for the documentation', { skip: !process.env.SCREENSHOTS && 'only with SCREENSHOTS=folder' }, async (t) => {
    const take = async (name, command, seconds, prepare = () => {}) => {
        const page = await browser.newPage({ viewport: { width: 1280, height: 760 } });
        await page.goto((await serve(t, 'view', ...command, '--paused')) + '?quality=high', { waitUntil: 'commit', ...patience });
        await page.waitForFunction(() => window.app?.pictures > 1 && app.view.instances.groups.size > 0, null, patience);
        // The world runs by itself until the time has come; the page is too slow to watch all of it.
        await page.evaluate((s) => {
            app.source.send({ do: 'speed', value: 4 });
            app.source.send({ do: 'play' });
            const wait = setInterval(() => app.model.time >= s && (clearInterval(wait), app.source.send({ do: 'pause' })), 5);
        }, seconds);
        await page.waitForFunction((s) => app.model.time >= s && !app.source.isPlaying, seconds, patience);
        await page.evaluate(prepare);
        await page.evaluate(() => app.source.send({ do: 'step' }));
        await page.waitForTimeout(4000);
        await keep(page, name);
        await page.close();
    };
    await take('wagon', ['wagon', '--merging', 'on', '--color', 'collection'], 10.2, () => app.plots.show('bodies'));
    await take('ferry_collections', ['ferry', '--merging', 'on', '--color', 'collection'], 5, () => {
        app.view.frameAll();
        app.plots.show('bodies');
    });
    await take('friction', ['wagon', '--merging', 'on'], 10.2, () => {
        app.plots.show('contacts');
        for (const name of ['friction', 'welds']) app.panels.gui.controllers.find((c) => c.property === name).setValue(true);
        const at = app.model.bodies.findIndex((b) => b && app.model.visuals[b.visual].name === 'bookcase');
        const [x, y, z] = app.model.pose(at);
        app.view.controls.target.set(x - 1.2, y - 0.6, z);
        app.view.camera.position.set(x + 0.4, y + 1.4, z + 4.2);
    });
    await take('workers', ['bowl', '--param', 'count=1500', '--workers', '4'], 4, () => app.view.frameAll());
    await take('picker', ['wagon'], 0.1, () => document.getElementById('scene').click());
});
