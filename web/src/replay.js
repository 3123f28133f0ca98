// Plays a recording with the same buttons as a live run, and a scrub bar.
import { readDetails } from './details.js';
import { Model } from './model.js';
import { Player, Recording, gatherStats } from './recording.js';

export class Replay {
    constructor(model, bytes, on) {
        this.model = model;
        this.recording = new Recording(bytes);
        this.player = new Player(this.recording, model);
        this.on = on;
        this.isPlaying = false;
        this.speed = 1;
        this.position = 0; // in frames, with a fraction
        this.dt = this.recording.info.dt || 1 / 60;
        // What was recorded besides bodies, and what of it shall be shown.
        this.overlays = this.recording.info.details?.overlays ?? [];
        this.channels = this.recording.info.details?.channels ?? [];
        this.wanted = new Set();
        this.channel = '';
        this.player.seek(0);
        this.startTime = model.time;
    }

    get length() {
        return (this.recording.frameCount - 1) * this.dt;
    }

    gather(onRows) {
        gatherStats(this.recording, () => new Model(), onRows);
    }

    send(command) {
        const last = this.recording.frameCount - 1;
        if (command.do === 'play') {
            if (this.position >= last) this.seek(0);
            this.isPlaying = true;
        } else if (command.do === 'pause') this.isPlaying = false;
        else if (command.do === 'step' || command.do === 'back') {
            this.isPlaying = false;
            this.seek(Math.round(this.position) + (command.do === 'step' ? 1 : -1));
        } else if (command.do === 'speed') this.speed = command.value || 8;
        else if (command.do === 'reset') this.seek(0);
    }

    seek(frame) {
        this.position = Math.max(0, Math.min(this.recording.frameCount - 1, frame));
        this.player.seek(Math.floor(this.position));
        this.showDetails();
        this.on.frame(false);
    }

    want(name, isWanted) {
        if (isWanted) this.wanted.add(name);
        else this.wanted.delete(name);
        this.seek(this.position);
    }

    wantChannel(name) {
        if (name === this.channel) return;
        this.channel = name;
        this.seek(this.position);
    }

    showDetails() {
        const { model } = this;
        model.overlays = {};
        const reader = this.channel || this.wanted.size > 0 ? this.recording.details(this.player.frame) : null;
        if (!reader) return;
        readDetails(reader, model, this.channels);
        for (const name of Object.keys(model.overlays)) if (!this.wanted.has(name)) delete model.overlays[name];
    }

    advance(seconds) {
        if (!this.isPlaying) return;
        this.seek(this.position + (seconds * this.speed) / this.dt);
        if (this.position >= this.recording.frameCount - 1) this.isPlaying = false;
    }
}
