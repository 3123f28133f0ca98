// The bars of the viewer, measured: node tools/measure-viewer.mjs [first_picture] [page] [streaming] [recording]
// Wants build/bin/moraine, Chromium and playwright-core (make test-web fetches it); about five minutes for all.
//   first_picture  seconds from the command to a picture in a new tab of a browser that is running (the middle of five),
//                  and in one that has to be started; and processor time, which other load on the machine changes less.
//                  "drawn" is when the page has drawn it, "pixels" when the browser's renderer has made all of them
//   page           what the page itself does for a picture of 10 000 bodies that all move: script, upload, draw calls
//   streaming      steps a second of pile_5000 alone, and with a page that is shown all of it
//   recording      60 s of pile_5000 at 60 Hz: size, and the time to show any second of it
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const moraine = process.env.MORAINE ?? join(root, 'build/bin/moraine');
const modules = resolve(process.env.MODULES ?? join(root, 'build/tests/web/node_modules'));
const { chromium } = createRequire(join(modules, 'here.js'))('playwright-core');
const patience = { timeout: 120_000 };
// As a user has it: without a graphics card the browser puts pages together by itself and has WebGL drawn in software.
const args = ['--no-sandbox', '--enable-unsafe-swiftshader'];
const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args });
const seconds = (start) => (performance.now() - start) / 1000;

// Processor time of all that this process has started and that still runs.
function processorTime() {
    const parents = new Map();
    const times = new Map();
    for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        try {
            const words = readFileSync(`/proc/${id}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
            parents.set(Number(id), Number(words[1]));
            times.set(Number(id), (Number(words[11]) + Number(words[12])) / 100);
        } catch {} // it has just ended
    }
    const isOurs = (id) => id === process.pid || (parents.has(id) && isOurs(parents.get(id)));
    return [...times].reduce((sum, [id, time]) => sum + (id !== process.pid && isOurs(id) ? time : 0), 0);
}

async function serve(...command) {
    const server = spawn(moraine, [...command, '--port', '0', '--no-browser'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    const address = await new Promise((found) =>
        server.stdout.on('data', (data) => {
            const match = /http:\S+/.exec((text += data));
            if (match) found(match[0]);
        }),
    );
    const ended = new Promise((done) => server.on('exit', () => done(text)));
    return { address, ended, id: server.pid, stop: () => server.kill() };
}

async function shownPage(browser, address, size = { width: 1280, height: 800 }) {
    const page = await browser.newPage({ viewport: size });
    await page.goto(address, { waitUntil: 'commit', ...patience });
    await page.waitForFunction(() => window.app?.pictures > 0 && app.view.instances.groups.size > 0, null, { polling: 10, ...patience });
    return page;
}

// In the page: notes when the first picture with bodies has been drawn, and when all its pixels have been made.
function watchFirstPicture() {
    const times = (window.firstPicture = {});
    let fence = null;
    const look = () => {
        const now = performance.timeOrigin + performance.now();
        if (window.app?.pictures > 0 && app.view.instances.groups.size > 0) {
            const gl = app.view.renderer.getContext();
            if (!fence) {
                times.drawn = now;
                fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
            } else if (gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.UNSIGNALED) {
                times.made = now;
                return;
            }
        }
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}

async function timeFirstPicture(isRunning) {
    let browser = isRunning ? await launch() : null;
    const window = async () => browser.newContext({ viewport: { width: 1280, height: 800 } });
    let tabs = null;
    if (browser) {
        tabs = await window();
        const other = await tabs.newPage(); // a browser that is running has shown a page and has come to rest
        await other.setContent('<h1>Another page</h1>');
        await other.waitForTimeout(5000);
    }
    const spent = processorTime();
    const start = performance.timeOrigin + performance.now();
    const server = await serve('view', 'wagon', '--merging', 'on', '--color', 'collection');
    browser ??= await launch();
    tabs ??= await window();
    const page = await tabs.newPage();
    await page.addInitScript(watchFirstPicture);
    await page.goto(server.address, { waitUntil: 'commit', ...patience });
    await page.waitForFunction(() => firstPicture.made, null, { polling: 20, ...patience });
    const processor = processorTime() - spent;
    const { drawn, made } = await page.evaluate(() => firstPicture);
    await browser.close();
    server.stop();
    await server.ended;
    return { drawn: (drawn - start) / 1000, made: (made - start) / 1000, processor };
}

async function measureFirstPicture() {
    for (const [said, isRunning, times] of [['browser running', true, 5], ['browser started too', false, 3]]) {
        const all = [];
        for (let i = 0; i < times; ++i) all.push(await timeFirstPicture(isRunning));
        const of = (name) => {
            const sorted = all.map((one) => one[name]).sort((a, b) => a - b);
            return `${sorted[times >> 1].toFixed(2)} s (${sorted[0].toFixed(2)} to ${sorted[times - 1].toFixed(2)})`;
        };
        console.log(`first picture, ${said}: drawn after ${of('drawn')}, its pixels made after ${of('made')}, processor time ${of('processor')}`);
    }
}

// What the page does, not how fast pixels are made without a graphics card: one instance of each shape is drawn, with
// the same calls and the same uploads, and between pictures the page waits until they are done.
async function timePage(mode) {
    app.setMode(mode);
    const times = { read: [], update: [], draw: [], all: [] };
    const originals = [];
    const time = (object, name, kind) => {
        const original = object[name];
        originals.push(() => (object[name] = original));
        object[name] = (...given) => {
            const start = performance.now();
            const answer = original.apply(object, given);
            times[kind].push(performance.now() - start);
            return answer;
        };
    };
    time(app.source, 'readFrame', 'read');
    time(app.view, 'update', 'update');
    time(app.view, 'draw', 'draw');
    const nextPicture = window.requestAnimationFrame;
    window.requestAnimationFrame = () => {};
    const gl = app.view.renderer.getContext();
    const bytes = app.source.bytes;
    for (let i = 0; i < 100; ++i) {
        const step = app.model.step;
        while (app.model.step === step) await new Promise((done) => setTimeout(done, 2)); // until a frame has come
        const { groups } = app.view.instances;
        for (const group of groups.values()) group.geometry.instanceCount = 1;
        gl.finish();
        const start = performance.now();
        app.draw(start);
        times.all.push(performance.now() - start);
        for (const group of groups.values()) group.geometry.instanceCount = group.count;
    }
    window.requestAnimationFrame = nextPicture;
    requestAnimationFrame((now) => app.draw(now));
    for (const undo of originals) undo();
    const of = (list) => {
        const sorted = [...list].sort((a, b) => a - b);
        return { count: sorted.length, p50: sorted[sorted.length >> 1], p95: sorted[Math.floor(0.95 * sorted.length)] };
    };
    return {
        bodies: app.model.bodies.filter((b) => b).length,
        times: Object.fromEntries(Object.entries(times).map(([kind, list]) => [kind, of(list)])),
        calls: app.view.renderer.info.render.calls,
        uploaded: app.view.instances.texture.image.data.byteLength,
        received: (app.source.bytes - bytes) / Math.max(1, times.read.length),
    };
}

async function measurePage() {
    const browser = await launch();
    for (const given of [['falling', '--param', 'count=10000', '--sleeping', 'off'], ['ferry', '--param', 'stacks=1000', '--merging', 'on']]) {
        const server = await serve('view', ...given);
        const page = await shownPage(browser, server.address + '?quality=low', { width: 64, height: 48 });
        if (given[0] === 'ferry') await page.waitForFunction(() => app.model.time > 6, null, patience); // until they have merged
        for (const mode of ['body', 'speed', 'collection']) {
            const r = await page.evaluate(timePage, mode);
            console.log(`page, ${given[0]}, ${r.bodies} bodies coloured by ${mode}: ${r.calls} draw calls, ${(r.uploaded / 1024).toFixed(0)} KB of poses uploaded, ${(r.received / 1024).toFixed(1)} KB received for a frame`);
            for (const [kind, { count, p50, p95 }] of Object.entries(r.times))
                console.log(`    ${kind.padEnd(7)} ${p50?.toFixed(2)} ms, 95 %: ${p95?.toFixed(2)} ms (${count})`);
        }
        await page.close();
        server.stop();
        await server.ended;
    }
    await browser.close();
}

// A page that is shown everything and does nothing with it.
function listen(address) {
    const { hostname, port, host } = new URL(address);
    const headers = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        Origin: `http://${host}`,
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': Buffer.from('measure the viewer').subarray(0, 16).toString('base64'),
    };
    const asked = request({ hostname, port, path: '/ws', headers });
    asked.on('upgrade', (answer, socket) => socket.on('error', () => {}).resume());
    asked.on('response', (answer) => console.error(`the page was refused: ${answer.statusCode}`));
    asked.end();
}

// Processor time of the thread that takes the steps, as long as it lives.
async function simulationTime(id, ended) {
    let time = 0;
    let isOver = false;
    ended.then(() => (isOver = true));
    while (!isOver) {
        try {
            const words = readFileSync(`/proc/${id}/task/${id}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
            time = (Number(words[11]) + Number(words[12])) / 100 || time;
        } catch {} // it has just ended
        await new Promise((done) => setTimeout(done, 20));
    }
    return time;
}

async function stepRate(isShown, time) {
    const server = await serve('view', 'pile_5000', '--speed', '0', '--for', String(time), '--sleeping', 'off');
    if (isShown) listen(server.address);
    const spent = await simulationTime(server.id, server.ended);
    const [, steps, sent] = /after (\d+) steps; ([\d.]+) MB/.exec(await server.ended);
    return { steps: Number(steps), rate: steps / time, ms: (1000 * spent) / steps, sent: Number(sent) };
}

// The same number of steps by `moraine run`, which shows nothing.
async function runRate(steps) {
    const run = spawn(moraine, ['run', 'pile_5000', '--steps', String(steps), '--sleeping', 'off'], { stdio: 'ignore' });
    const start = performance.now();
    const ended = new Promise((done) => run.on('exit', done));
    const spent = await simulationTime(run.pid, ended);
    return { rate: steps / seconds(start), ms: (1000 * spent) / steps };
}

async function measureStreaming() {
    const results = { alone: [], shown: [], run: [] };
    for (let i = 0; i < 3; ++i) {
        results.alone.push(await stepRate(false, 8));
        results.shown.push(await stepRate(true, 8));
        results.run.push(await runRate(results.shown[i].steps));
    }
    const rate = (list) => Math.max(...list.map((r) => r.rate));
    const ms = (list) => Math.min(...list.map((r) => r.ms));
    const { alone, shown, run } = results;
    console.log(`streaming pile_5000: ${rate(alone).toFixed(1)} steps/s without a page, ${rate(shown).toFixed(1)} with one (${(100 * (1 - rate(shown) / rate(alone))).toFixed(1)} % fewer), ${shown[0].sent} MB in 8 s`);
    console.log(`    processor time of the simulation for a step: ${ms(alone).toFixed(2)} and ${ms(shown).toFixed(2)} ms (${(100 * (ms(shown) / ms(alone) - 1)).toFixed(1)} % more); of moraine run ${ms(run).toFixed(2)} ms (${(100 * (ms(shown) / ms(run) - 1)).toFixed(1)} % more)`);
}

async function measureRecording() {
    const folder = mkdtempSync(join(tmpdir(), 'moraine_measure_'));
    const file = join(folder, 'pile.mrec');
    execFileSync(moraine, ['run', 'pile_5000', '--steps', '3600', '--dt', String(1 / 60), '--threads', '0', '--record', file], { stdio: 'ignore' });
    console.log(`recording, 60 s of pile_5000: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
    const server = await serve('replay', file);
    const browser = await launch();
    const page = await shownPage(browser, server.address + '?quality=low', { width: 64, height: 48 });
    const times = await page.evaluate(async () => {
        app.source.send({ do: 'pause' });
        const { frameCount } = app.source.recording;
        while (app.plots.rows.length < frameCount - 1) await new Promise((done) => setTimeout(done, 50)); // read for the plots
        const out = [];
        for (let i = 0; i < 60; ++i) {
            const second = (i * 37) % 60; // any order
            const start = performance.now();
            app.source.seek(Math.min(app.source.recording.frameCount - 1, 60 * second + 59)); // the worst place in it
            app.view.update();
            out.push(performance.now() - start);
        }
        return out.sort((a, b) => a - b);
    });
    console.log(`seek to any second: ${times[30].toFixed(0)} ms, at most ${times[59].toFixed(0)} ms`);
    await browser.close();
    server.stop();
    rmSync(folder, { recursive: true, force: true });
}

const all = { first_picture: measureFirstPicture, page: measurePage, streaming: measureStreaming, recording: measureRecording };
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(all);
for (const name of wanted) {
    if (!all[name]) {
        console.error(`measure-viewer: unknown '${name}' (know: ${Object.keys(all).join(', ')})`);
        process.exit(2);
    }
    await all[name]();
}
process.exit(0);
