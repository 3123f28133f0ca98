// What happened when: a mark for each event, along the bottom.
const COLORS = {
    hit: '#d7301f',
    touch_began: '#1a9641',
    touch_ended: '#a6d96a',
    trigger_entered: '#7b3294',
    trigger_left: '#c2a5cf',
    fell_asleep: '#9aa3ad',
    woke: '#e08214',
    joint_broken: '#000000',
    frozen: '#000000',
    merged: '#c03d8e',
    unmerged: '#5e4fa2',
};
const LANES = ['hit', 'joint_broken', 'frozen', 'trigger_entered', 'woke', 'fell_asleep', 'merged', 'unmerged', 'touch_began'];
const SPAN = 20;

export class Timeline {
    constructor(canvas) {
        this.canvas = canvas;
        this.names = [];
        this.bins = new Map(); // by time slice and kind: how many
        this.slice = 0.05;
        const tip = document.getElementById('event_tip');
        const place = canvas.parentElement;
        place.addEventListener('pointermove', (e) => this.tell(tip, e.clientX));
        place.addEventListener('pointerleave', () => (tip.hidden = true));
    }

    // What happened around the time under the mouse.
    tell(tip, x) {
        const { left, width } = this.canvas.getBoundingClientRect();
        const time = this.begin + ((x - left) / width) * (this.end - this.begin);
        const reach = Math.max(this.slice, (4 / width) * (this.end - this.begin));
        const counts = new Map();
        for (const [key, count] of this.bins) {
            const t = Math.floor(key / 64) * this.slice;
            if (Math.abs(t - time) <= reach) counts.set(key % 64, (counts.get(key % 64) ?? 0) + count);
        }
        const lines = [...counts].sort(([a], [b]) => a - b).map(([kind, count]) => {
            const line = document.createElement('div');
            const chip = document.createElement('i');
            chip.style.background = COLORS[this.names[kind]] ?? '#888';
            line.append(chip, `${count} × ${String(this.names[kind]).replaceAll('_', ' ')}`);
            return line;
        });
        tip.replaceChildren(`${time.toFixed(2)} s`, ...(lines.length > 0 ? lines : [' · nothing happened']));
        tip.hidden = !(time >= 0);
        tip.style.left = `${Math.max(8, Math.min(innerWidth - 190, x - 60))}px`;
    }
    setNames(names, length = 0) {
        this.names = names;
        this.bins.clear();
        this.length = length; // seconds of a recording; 0: live
        if (length > 0) this.slice = Math.max(0.02, length / 600);
    }
    add(time, events) {
        for (const event of events) {
            const key = Math.floor(time / this.slice) * 64 + event.kind;
            this.bins.set(key, (this.bins.get(key) ?? 0) + 1);
        }
        if (this.bins.size > 20000) for (const key of [...this.bins.keys()].slice(0, 5000)) this.bins.delete(key);
    }
    forgetAfter(time) {
        for (const key of this.bins.keys()) if (Math.floor(key / 64) * this.slice > time) this.bins.delete(key);
    }
    draw(now, time, start = 0) {
        if (now - (this.drawnAt ?? 0) < 120) return;
        this.drawnAt = now;
        const { canvas } = this;
        const scale = devicePixelRatio;
        canvas.width = canvas.clientWidth * scale;
        canvas.height = canvas.clientHeight * scale;
        const c = canvas.getContext('2d');
        c.scale(scale, scale);
        const width = canvas.clientWidth;
        const height = canvas.clientHeight;
        c.fillStyle = 'rgba(255,255,255,0.8)';
        c.fillRect(0, 0, width, height);
        const end = this.length > 0 ? start + this.length : Math.max(time, SPAN);
        const begin = this.length > 0 ? start : end - SPAN;
        this.begin = begin;
        this.end = end;
        const x = (t) => ((t - begin) / (end - begin)) * width;
        const thick = Math.max(1.5, x(begin + this.slice));
        for (const [key, count] of this.bins) {
            const t = Math.floor(key / 64) * this.slice;
            const name = this.names[key % 64];
            const lane = LANES.indexOf(name);
            if (t < begin || lane < 0) continue;
            c.globalAlpha = Math.min(1, 0.35 + 0.2 * Math.log2(1 + count));
            c.fillStyle = COLORS[name];
            c.fillRect(x(t), 3 + (lane * (height - 6)) / LANES.length, thick, (height - 6) / LANES.length - 0.5);
        }
        c.globalAlpha = 1;
        c.fillStyle = '#1d2530';
        c.fillRect(x(time) - 0.75, 0, 1.5, height);
        c.fillStyle = '#5d6875';
        c.font = '10px sans-serif';
        for (let t = Math.ceil(begin / 5) * 5; t < end; t += Math.max(5, Math.ceil((end - begin) / 60) * 5))
            c.fillText(`${t} s`, x(t) + 2, height - 2);
    }
}
