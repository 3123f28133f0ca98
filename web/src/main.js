// The page: live from `moraine view`, or a recording that the server has, or one that is in the page itself.
import { MODES, setChannels } from './colors.js';
import { showBody } from './inspector.js';
import { exportFrames } from './export_frames.js';
import { Live } from './live.js';
import { ModeShapes } from './mode_shapes.js';
import { Model } from './model.js';
import { Mouse } from './mouse.js';
import { Panels } from './panels.js';
import { ScenePicker } from './picker.js';
import { Plots } from './plots.js';
import { Replay } from './replay.js';
import { Timeline } from './timeline.js';
import { View } from './view.js';

const $ = (id) => document.getElementById(id);

class App {
    constructor(bytes) {
        this.isLive = bytes === null;
        this.model = new Model();
        this.view = new View($('canvas'), this.model);
        this.plots = new Plots($('plots'), !this.isLive);
        this.timeline = new Timeline($('events'));
        this.isFirst = true;
        const on = { message: (m) => this.onMessage(m), frame: (isWhole) => this.onFrame(isWhole), lost: () => this.onLost() };
        this.source = this.isLive ? new Live(this.model, on) : new Replay(this.model, bytes, on);
        if (!this.isLive) setChannels(this.source.channels);
        this.panels = new Panels($('panels'), this);
        this.mouse = new Mouse(this);
        this.addButtons();
        this.addKeys();
        if (this.isLive) this.picker = new ScenePicker($('picker'), this);
        else this.startReplay();
        this.last = performance.now();
        const hash = new URLSearchParams(location.hash.slice(1)), task = hash.get('export');
        if (task && !this.isLive) exportFrames(this, task.split(',').map(Number), hash.get('color'), (hash.get('overlays') ?? '').split(',').filter(Boolean));
        else requestAnimationFrame((now) => this.draw(now));
    }

    startReplay() {
        const { info, frameCount } = this.source.recording;
        $('scene_name').textContent = info.scene;
        $('scene').title = info.description;
        $('scene').disabled = true; // a recording is of one scene
        document.title = `${info.scene} · Moraine`;
        for (const tool of document.querySelectorAll('[data-tool]')) tool.hidden = true;
        $('scrub').hidden = false;
        $('scrub').max = frameCount - 1;
        $('scrub').oninput = () => {
            this.source.isPlaying = false;
            this.source.seek(Number($('scrub').value));
        };
        this.plots.setNames(info.stat_names);
        this.timeline.setNames(info.event_names, this.source.length);
        if (!location.hash.includes('export=')) this.gather();
        this.onFrame(true);
        this.source.send({ do: 'play' });
    }

    gather() {
        this.source.gather((rows) => {
            for (const row of rows) {
                if (row.frame > 0) this.plots.add(row.time, row.stats);
                this.timeline.add(row.time, row.events);
            }
        });
    }

    addButtons() {
        const send = (name) => () => this.source.send({ do: name });
        for (const name of ['reset', 'back', 'step']) $(name).onclick = send(name);
        $('play').onclick = () => this.source.send({ do: this.source.isPlaying ? 'pause' : 'play' });
        $('speed').onchange = () => {
            this.source.send({ do: 'speed', value: Number($('speed').value) });
            $('speed').blur(); // keys are for the world again
        };
        $('frame').onclick = () => this.view.frameAll();
        $('follow').onclick = () => this.setFollow(!this.view.follows);
        for (const button of document.querySelectorAll('[data-tool]'))
            button.onclick = () => this.setTool(button.dataset.tool);
    }

    addKeys() {
        const keys = { ' ': 'play', ArrowRight: 'step', ArrowLeft: 'back', r: 'reset', f: 'follow', h: 'frame' };
        const tools = ['grab', 'shoot', 'poke', 'magnet'];
        addEventListener('keydown', (e) => {
            if (/INPUT|SELECT/.test(e.target.tagName) || e.ctrlKey || e.metaKey || $('picker').open) return;
            if (keys[e.key]) $(keys[e.key]).click();
            else if (tools[Number(e.key) - 1]) this.setTool(tools[Number(e.key) - 1]);
            else return;
            e.preventDefault();
        });
    }

    setTool(tool) {
        this.mouse.tool = tool;
        for (const button of document.querySelectorAll('[data-tool]'))
            button.classList.toggle('on', button.dataset.tool === tool);
    }

    setFollow(follows) {
        this.view.follows = follows;
        this.view.middle = null;
        $('follow').classList.toggle('on', follows);
    }

    setMode(mode) {
        const { channel, legend } = MODES[mode];
        this.source.wantChannel(channel ?? '');
        this.view.setMode(mode);
        this.panels.showMode(mode);
        this.showLegend(legend);
    }

    // A ramp between two words, or colours with what they mean.
    showLegend(legend) {
        $('legend').hidden = !legend;
        if (!legend) return;
        const parts = legend.map((part) => {
            if (typeof part === 'string') {
                const word = document.createElement('span');
                word.textContent = part;
                return word;
            }
            const chip = document.createElement('i');
            chip.className = 'chip';
            chip.style.background = part.color;
            const label = document.createElement('span');
            label.append(chip, part.label);
            return label;
        });
        if (typeof legend[0] === 'string') parts.splice(1, 0, document.createElement('i'));
        $('legend').replaceChildren(...parts);
    }

    choose(index) {
        this.view.select(index);
        if (this.isLive) this.source.send(index < 0 ? { do: 'inspect' } : { do: 'inspect', body: index });
        else this.inspectRecorded();
        if (index < 0) $('inspector').hidden = true;
    }

    inspectRecorded() {
        const index = this.view.selected;
        const body = this.model.bodies[index];
        if (!body) return;
        const visual = this.model.visuals[body.visual];
        const pose = this.model.pose(index);
        const kinds = ['static', 'kinematic', 'dynamic'];
        showBody($('inspector'), this, {
            body: index,
            name: visual.name,
            kind: kinds[visual.type],
            mass: visual.mass,
            shapes: visual.shapes.map((s) => s.kind.replace('_', ' ')),
            position: [0, 1, 2].map((c) => pose[c] + this.model.origin[c]),
            speed: this.model.speed(body),
            awake: this.model.isAwake(body),
        });
    }

    onMessage(message) {
        if (message.type === 'hello') {
            $('scene_name').textContent = message.scene;
            $('scene').title = message.description;
            document.title = `${message.scene} · Moraine`;
            this.hello = message;
            this.mouse.magnets.clear();
            $('rec').hidden = !message.recording;
            $('rec').title = `Steps are recorded into ${message.recording}`;
            this.isFirst = true;
            this.plots.setNames(message.stat_names);
            this.timeline.setNames(message.event_names);
            setChannels((this.source.channels = message.channels));
            this.panels.setScene(message);
            this.modeShapes ??= new ModeShapes(this);
            this.modeShapes.setScene(this.panels.gui, message);
            this.setMode(this.colored ? this.view.mode : MODES[message.color] ? message.color : 'body');
            this.colored = true;
            this.picker.setScenes(message);
            this.choose(-1);
            this.notice(message.description, 6);
        } else if (message.type === 'error') this.notice(message.message, 6);
        else if (message.type === 'body' && message.body === this.view.selected) showBody($('inspector'), this, message);
    }

    onFrame(isWhole) {
        if (isWhole && this.model.time < (this.shownTime ?? 0)) this.timeline.forgetAfter(this.model.time);
        this.shownTime = this.model.time;
        this.isStale = true;
        this.hasFrame = true;
        if (!this.isLive) return;
        for (const { time, stats } of this.source.numbers) this.plots.add(time, stats);
        const dt = this.hello?.dt ?? 1 / 60;
        for (const event of this.source.events) this.timeline.add(this.model.time - (this.model.step - event.step) * dt, [event]);
        if ($('notice').dataset.kind === 'lost') $('notice').hidden = true;
    }

    onLost() {
        this.notice('The connection is gone. Is moraine still running? Trying again …', 1e9, 'lost');
    }

    notice(text, seconds = 2.5, kind = '') {
        const place = $('notice');
        place.textContent = text;
        place.dataset.kind = kind;
        place.hidden = false;
        clearTimeout(this.noticeTimer);
        this.noticeTimer = setTimeout(() => (place.hidden = true), Math.min(1000 * seconds, 2 ** 30));
    }

    showClock() {
        const rate = this.isLive && this.source.isPlaying ? ` · ${this.source.stepsPerSecond?.toFixed(0) ?? 0} steps/s` : '';
        $('clock').textContent = `${this.model.time.toFixed(2)} s · ${this.model.step}${rate}`;
        const mode = MODES[this.view.mode];
        if (mode.isOpen) $('legend').lastChild.textContent = mode.highest(this.model);
        this.showSpeed();
        $('play').textContent = this.source.isPlaying ? '❚❚' : '▶';
        if (!this.isLive) $('scrub').value = Math.floor(this.source.position);
    }

    // Another page may have changed it.
    showSpeed() {
        const option = [...$('speed').options].find((o) => Math.abs(o.value - this.source.speed) < 1e-4);
        if (option && document.activeElement !== $('speed')) $('speed').value = option.value;
    }

    draw(now) {
        const seconds = Math.min(0.1, (now - this.last) / 1000);
        this.last = now;
        this.mouse.flush();
        if (!this.isLive) this.source.advance(seconds);
        if (this.isStale) {
            this.view.update();
            if (this.isFirst && this.model.bodies.length > 0) {
                this.isFirst = false;
                this.view.frameAll();
            }
            this.isStale = false;
            this.showClock();
            if (!this.isLive && this.view.selected >= 0) this.inspectRecorded();
        }
        // Before the first frame there is nothing but sky, which keeps a machine without a graphics card from its work.
        this.modeShapes?.draw(now);
        if (this.hasFrame) this.drawPicture(now);
        if (this.isLive) this.source.tellSeen();
        requestAnimationFrame((next) => this.draw(next));
    }

    drawPicture(now) {
        if (!this.view.draw()) return;
        if (!document.hidden) this.view.adapt((performance.now() - now) / 1000);
        this.plots.draw(now);
        this.timeline.draw(now, this.model.time, this.source.startTime ?? 0);
        if (++this.pictures === 2) document.body.classList.add('shown');
    }
}
App.prototype.pictures = 0;

// In the page, at the server, or neither: then it is live.
async function findRecording() {
    const text = $('recording').textContent.trim();
    if (text) {
        const binary = atob(text);
        return Uint8Array.from(binary, (c) => c.charCodeAt(0));
    }
    if (document.documentElement.dataset.replay === undefined) return null;
    const answer = await fetch('recording.mrec' + location.search);
    if (!answer.ok) throw new Error(`the recording could not be had: ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
}

try {
    window.app = new App(await findRecording());
} catch (error) {
    $('notice').hidden = false;
    const isBlind = /WebGL/.test(error.message);
    $('notice').textContent = isBlind ? 'This browser does not draw in 3D here: WebGL 2 is switched off, or the graphics driver is not trusted. Another browser may, or Chromium with --enable-unsafe-swiftshader.' : error.message;
    console.error(error);
}
