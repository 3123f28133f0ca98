// Numbers over time, as in the papers' figures: time for each phase, movers, contacts, energy.
import uPlot from 'uplot';

const SPAN = 20; // seconds shown of a live run
const KEEP = 4000;

// Of the step, what the named phases leave.
const NAMED = ['collide', 'solve', 'probe_collections', 'find_pairs', 'merge', 'unmerge'].map((phase) => `ms_${phase}`);
function otherTime(stats, names) {
    const of = (name) => stats[names.indexOf(name)] ?? 0;
    return names.reduce((sum, name) => sum + (name.startsWith('ms_') && !NAMED.includes(name) ? of(name) : 0), 0);
}

const tabs = {
    time: {
        unit: 'ms',
        series: [
            ['step', 'ms', '#1d2530'],
            ['collide', 'ms_collide', '#e1812c'],
            ['solve', 'ms_solve', '#3274a1'],
            ['probe', 'ms_probe_collections', '#c03d8e'],
            ['pairs', 'ms_find_pairs', '#3a923a'],
            ['merge', 'ms_merge', '#9372b2'],
            ['unmerge', 'ms_unmerge', '#d55e9a'],
            ['other', otherTime, '#8a94a3'],
        ],
        isRough: true,
    },
    bodies: {
        unit: '',
        series: [
            ['movers', 'movers_awake', '#3274a1'],
            ['merged', 'bodies_merged', '#c03d8e'],
            ['asleep', 'bodies_asleep', '#8a94a3'],
            ['collections', 'collections', '#e1812c'],
        ],
    },
    contacts: {
        unit: '',
        series: [
            ['solved', 'contacts_solved', '#3274a1'],
            ['internal', 'contacts_internal', '#c03d8e'],
        ],
    },
    energy: {
        unit: 'J',
        series: [
            ['kinetic', 'kinetic_energy', '#e1812c'],
            ['potential', 'potential_energy', '#3a923a'],
        ],
    },
};

const shown = (value) => {
    if (value == null) return '–';
    const size = Math.abs(value);
    if (size >= 1e5) return value.toExponential(1);
    return size >= 100 || Number.isInteger(value) ? value.toFixed(0) : size >= 1 ? value.toPrecision(3) : String(+value.toFixed(3));
};

// One step that took long must not press all others flat: the axis ends a little above nearly all of them.
function roughRange(plot) {
    const steps = [...plot.data[1]].filter((value) => value != null).sort((a, b) => a - b);
    const most = steps[Math.floor(0.985 * (steps.length - 1))] ?? 1;
    return [0, 1.3 * Math.max(most, 1e-3)];
}

export class Plots {
    constructor(place, isWhole) {
        this.isWhole = isWhole; // show all of it, not just the latest
        this.place = place;
        this.names = [];
        this.rows = [];
        place.innerHTML = '<div class="head"></div><div class="body"></div>';
        this.head = place.firstChild;
        this.body = place.lastChild;
        for (const name of Object.keys(tabs)) {
            const button = document.createElement('button');
            button.textContent = name;
            button.onclick = () => this.show(name);
            button.dataset.tab = name;
            this.head.append(button);
        }
        const fold = document.createElement('button');
        fold.className = 'fold';
        fold.textContent = '▾';
        fold.title = 'Show or hide';
        fold.onclick = () => place.classList.toggle('closed');
        this.head.append(fold);
    }

    setNames(names) {
        this.names = names;
        this.rows = [];
        this.show(this.tab ?? 'time');
    }

    show(tab) {
        this.tab = tab;
        this.place.classList.remove('closed');
        for (const button of this.head.querySelectorAll('[data-tab]'))
            button.classList.toggle('on', button.dataset.tab === tab);
        this.plot?.destroy();
        const { series, unit, isRough } = tabs[tab];
        this.columns = series.map(([, name]) => {
            if (typeof name === 'function') return (stats) => name(stats, this.names);
            const column = this.names.indexOf(name);
            return (stats) => (column < 0 ? null : stats[column]);
        });
        this.plot = new uPlot(
            {
                width: 350,
                height: 150,
                cursor: { points: { size: 5 } },
                legend: { live: true },
                scales: { x: { time: false }, y: isRough ? { range: roughRange } : {} },
                axes: [
                    { size: 22, grid: { stroke: '#0001' }, ticks: { show: false }, font: '10px sans-serif', values: (u, v) => v.map((x) => `${+x.toFixed(2)} s`) },
                    { size: 46, grid: { stroke: '#0001' }, ticks: { show: false }, font: '10px sans-serif', values: (u, v) => v.map((x) => (x == null ? '' : shown(x) + (unit ? ' ' + unit : ''))) },
                ],
                series: [
                    { label: 's', value: (u, v) => (v == null ? '–' : v.toFixed(2)) },
                    ...series.map(([label, , stroke]) => ({ label, stroke, width: 1.4, value: (u, v) => shown(v) })),
                ],
            },
            this.data(),
            this.body,
        );
    }

    data() {
        return [this.rows.map((row) => row.time), ...this.columns.map((value) => this.rows.map((row) => value(row.stats)))];
    }

    add(time, stats) {
        if (!stats || stats.length === 0) return;
        // Time went back: what came after is no longer so.
        while (this.rows.length > 0 && this.rows[this.rows.length - 1].time >= time) this.rows.pop();
        this.rows.push({ time, stats });
        if (!this.isWhole) {
            while (this.rows.length > KEEP || this.rows[0].time < time - SPAN) this.rows.shift();
        }
        this.isStale = true;
    }

    // A few times a second is enough to look at.
    draw(now) {
        if (!this.isStale || !this.plot || now - (this.drawnAt ?? 0) < 150 || this.place.classList.contains('closed')) return;
        this.drawnAt = now;
        this.isStale = false;
        this.plot.setData(this.data());
        // Without a mouse over it the legend tells the latest.
        if (this.plot.cursor.idx == null) this.plot.setLegend({ idx: this.rows.length - 1 }, false);
    }
}
