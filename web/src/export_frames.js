// Pictures of a recording, for `moraine export run.mrec -o run.mp4`: written into the page as text, one line each, for
// whoever asks the browser for the page's content.
export function exportFrames(app, [first, last, stride, width, height], color, overlays) {
    document.body.className = 'bare';
    const { view, source } = app;
    app.setMode(color ?? 'body');
    for (const name of overlays) source.want(name, true);
    view.renderer.setPixelRatio(1);
    view.renderer.setSize(width, height, false);
    view.camera.aspect = width / height;
    view.camera.updateProjectionMatrix();
    source.isPlaying = false;
    source.seek(0);
    view.update();
    view.frameAll();
    view.draw();
    const lines = [];
    for (let frame = 0; frame <= last; frame += stride) {
        source.seek(frame);
        // The camera follows from the beginning on, so that parts made one after the other fit together.
        view.update();
        if (frame < first) {
            view.follow();
            continue;
        }
        view.draw();
        lines.push(`frame:${frame}:${view.renderer.domElement.toDataURL('image/png').split(',')[1]}`);
    }
    const place = document.createElement('pre');
    place.textContent = `\n${lines.join('\n')}\n`;
    document.body.append(place);
}
