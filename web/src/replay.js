// Plays a recording with the same buttons as a live run, and a scrub bar.
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
        this.on.frame(false);
    }

    advance(seconds) {
        if (!this.isPlaying) return;
        this.seek(this.position + (seconds * this.speed) / this.dt);
        if (this.position >= this.recording.frameCount - 1) this.isPlaying = false;
    }
}
