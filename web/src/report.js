// Runs side by side: `moraine report a.mrec b.mrec -o report.html` puts the numbers into the page.
import uPlot from 'uplot';

const COLORS = ['#3274a1', '#e1812c', '#3a923a', '#c03d8e', '#9372b2', '#8a6d3b', '#d43f3f', '#4aa3c7'];
const PLOTS = [
    ['Time of a step', 'ms', 'ms'],
    ['Movers awake', 'movers_awake', ''],
    ['Bodies merged', 'bodies_merged', ''],
    ['Bodies asleep', 'bodies_asleep', ''],
    ['Contact points solved', 'contacts_solved', ''],
    ['Contact points inside collections', 'contacts_internal', ''],
    ['Collide', 'ms_collide', 'ms'],
    ['Solve', 'ms_solve', 'ms'],
    ['Deepest penetration', 'penetration_max', 'm'],
    ['Energy', 'energy', 'J'],
];

const data = JSON.parse(document.getElementById('data').textContent || '{"runs":[]}');
const root = document.getElementById('report');

function add(parent, tag, text = '', className = '') {
    const element = document.createElement(tag);
    element.textContent = text;
    element.className = className;
    parent.append(element);
    return element;
}

const shown = (value) => {
    if (value == null) return '–';
    if (typeof value === 'string') return value;
    if (Number.isInteger(value)) return value.toLocaleString('en');
    return Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(2) : String(+value.toPrecision(4));
};

function addHead() {
    add(root, 'h1', data.runs.length > 1 ? 'Runs compared' : 'A run');
    const scenes = [...new Set(data.runs.map((run) => run.scene))];
    add(root, 'p', `${scenes.join(', ')}${scenes.length === 1 ? ': ' + data.runs[0].description : ''}`, 'soft');
    for (const difference of data.differences ?? []) {
        const section = add(root, 'section');
        add(section, 'p', difference.verdict, 'verdict');
    }
}

function addTable() {
    const section = add(root, 'section');
    const table = add(section, 'table');
    const head = add(table, 'tr');
    add(head, 'th', '');
    data.runs.forEach((run, i) => {
        const cell = add(head, 'th');
        add(cell, 'span', '', 'swatch').style.background = COLORS[i % COLORS.length];
        cell.append(run.name);
    });
    const keys = [...new Set(data.runs.flatMap((run) => run.table.map(([key]) => key)))];
    for (const key of keys) {
        const row = add(table, 'tr');
        add(row, 'td', key);
        for (const run of data.runs) add(row, 'td', shown(run.table.find(([name]) => name === key)?.[1]));
    }
}

function addPlot(parent, title, unit, series) {
    const section = add(parent, 'section');
    add(section, 'h2', title + (unit ? ` (${unit})` : ''));
    // One common axis: the times of all runs.
    const tables = series.map(({ times, values }) => [times, values]);
    const joined = tables.length > 1 ? uPlot.join(tables) : tables[0];
    const plot = new uPlot(
        {
            width: 500,
            height: 210,
            scales: { x: { time: false } },
            axes: [
                { values: (u, v) => v.map((x) => `${x} s`), grid: { stroke: '#0001' } },
                { size: 64, values: (u, v) => v.map(shown), grid: { stroke: '#0001' } },
            ],
            series: [
                { label: 's' },
                ...series.map(({ name, color }) => ({ label: name, stroke: color, width: 1.5, spanGaps: true, value: (u, v) => shown(v) })),
            ],
        },
        joined,
        section,
    );
    const fit = () => plot.setSize({ width: section.clientWidth - 36, height: 210 });
    // Plots that come later make this one's place narrower.
    new ResizeObserver(fit).observe(section);
}

function addPlots() {
    const grid = add(root, 'div', '', 'grid');
    for (const [i, difference] of (data.differences ?? []).entries())
        addPlot(grid, `Distance between bodies of ${difference.of} and ${difference.from}`, 'm', [
            { name: 'largest', color: '#d43f3f', times: difference.times, values: difference.largest },
            { name: 'mean', color: COLORS[i], times: difference.times, values: difference.mean },
        ]);
    for (const [title, name, unit] of PLOTS) {
        const series = data.runs
            .map((run, i) => ({ name: run.name, color: COLORS[i % COLORS.length], times: run.times, values: run.stats[name] }))
            .filter((s) => s.values && s.values.some((v) => v !== 0));
        if (series.length > 0) addPlot(grid, title, unit, series);
    }
}

addHead();
addTable();
addPlots();
