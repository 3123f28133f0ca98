// Makes the pages: one file each, with script and style inside, so that they can be compiled in, mailed and opened alone.
//   node build.mjs OUT_FOLDER NODE_MODULES
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [out = join(here, 'dist'), modules = join(here, 'node_modules')] = process.argv.slice(2).map((path) => resolve(path));
const { build } = createRequire(join(modules, 'here.js'))('esbuild'); // the modules may lie elsewhere

async function bundle(entry) {
    const result = await build({
        entryPoints: [join(here, 'src', entry)],
        bundle: true,
        minify: true,
        format: 'esm',
        target: 'es2022',
        legalComments: 'inline',
        write: false,
        nodePaths: [modules],
        logLevel: 'warning',
    });
    // Within a page the text must not look like the end of the script.
    return result.outputFiles[0].text.replaceAll('</script', '<\\/script');
}

function page(name, style, script) {
    return readFileSync(join(here, 'src', name), 'utf8')
        .replace('/*STYLE*/', () => style)
        .replace('/*SCRIPT*/', () => script);
}

mkdirSync(out, { recursive: true });
const plotStyle = readFileSync(join(modules, 'uplot/dist/uPlot.min.css'), 'utf8');
const style = readFileSync(join(here, 'src/style.css'), 'utf8');
writeFileSync(join(out, 'viewer.html'), page('index.html', plotStyle + style, await bundle('main.js')));
const reportStyle = readFileSync(join(here, 'src/report.css'), 'utf8');
writeFileSync(join(out, 'report.html'), page('report.html', plotStyle + reportStyle, await bundle('report.js')));
