// Mode shapes as a page that needs nothing but a browser: the surface in WebGL, swinging in the mode that is chosen.
#include "cli/mode_shapes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace moraine::cli
{

namespace
{

constexpr float shown_size = 0.12f; // of the largest displacement, as part of the body

constexpr const char* page_begin = R"(<!doctype html><meta charset=utf-8><title>Modes</title>
<style>html,body{margin:0;height:100%;background:#f4f2ee;font:14px sans-serif;color:#333}canvas{width:100%;height:100%;display:block}
#bar{position:fixed;left:12px;top:12px}select,input{font:inherit;margin-right:8px}</style>
<canvas id=view></canvas><div id=bar><select id=mode></select><label>size <input id=size type=range min=0 max=3 step=0.05 value=1></label>
<label>speed <input id=speed type=range min=0 max=3 step=0.05 value=1></label></div>
<script>
)";

constexpr const char* page_end = R"(
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
const rest = new Float32Array(bytes(data.vertices)), corners = new Uint32Array(bytes(data.triangles));
const shapes = new Float32Array(bytes(data.shapes)), count = rest.length / 3;
const canvas = document.getElementById('view'), gl = canvas.getContext('webgl', {antialias: true});
gl.getExtension('OES_element_index_uint'), gl.getExtension('OES_standard_derivatives');
const list = document.getElementById('mode');
data.frequencies.forEach((f, i) => list.add(new Option(`mode ${i + 1}: ${f.toPrecision(4)} Hz`, i)));
const compile = (kind, text) => { const s = gl.createShader(kind); gl.shaderSource(s, text), gl.compileShader(s); return s; };
const program = gl.createProgram();
gl.attachShader(program, compile(gl.VERTEX_SHADER, `attribute vec3 rest, shape; uniform mat4 view; uniform float swing, scale;
  varying vec3 place, color; void main() { place = rest + shape * swing * scale;
  color = 0.25 + 0.75 * abs(shape); gl_Position = view * vec4(place, 1.0); }`));
gl.attachShader(program, compile(gl.FRAGMENT_SHADER, `#extension GL_OES_standard_derivatives : enable
  precision highp float; varying vec3 place, color; void main() { vec3 n = normalize(cross(dFdx(place), dFdy(place)));
  gl_FragColor = vec4(color * (0.45 + 0.55 * abs(dot(n, normalize(vec3(0.4, 0.8, 0.45))))), 1.0); }`));
gl.linkProgram(program), gl.useProgram(program), gl.enable(gl.DEPTH_TEST), gl.clearColor(0.957, 0.949, 0.933, 1);
const attribute = (name, values) => { const b = gl.createBuffer(), at = gl.getAttribLocation(program, name);
  gl.bindBuffer(gl.ARRAY_BUFFER, b), gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(at), gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0); return b; };
attribute('rest', rest);
const buffer = attribute('shape', shapes.subarray(0, 3 * count));
gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer()), gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.STATIC_DRAW);
list.onchange = () => { gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, shapes.subarray(3 * count * list.value, 3 * count * (+list.value + 1)), gl.STATIC_DRAW); };
const low = [1e9, 1e9, 1e9], high = [-1e9, -1e9, -1e9];
rest.forEach((v, i) => { low[i % 3] = Math.min(low[i % 3], v), high[i % 3] = Math.max(high[i % 3], v); });
const middle = low.map((v, a) => (v + high[a]) / 2), reach = Math.hypot(...low.map((v, a) => high[a] - v));
let yaw = 0.7, pitch = 0.5, away = 1.5, phase = 0, last = 0;
canvas.onpointermove = e => { if (e.buttons) yaw -= e.movementX / 150, pitch = Math.max(-1.5, Math.min(1.5, pitch + e.movementY / 150)); };
canvas.onwheel = e => { away *= Math.exp(e.deltaY / 800), e.preventDefault(); };
function view(aspect) {
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const right = [cy, 0, -sy], up = [-sy * sp, cp, -cy * sp], back = [sy * cp, sp, cy * cp], d = away * reach;
  const dot = v => -(v[0] * middle[0] + v[1] * middle[1] + v[2] * middle[2]);
  const n = 0.02 * d, f = 5 * d, k = 2.2, z = -(f + n) / (f - n), w = -2 * f * n / (f - n), e = dot(back) - d;
  return [0, 1, 2].flatMap(a => [right[a] * k / aspect, up[a] * k, back[a] * z, -back[a]])
    .concat([dot(right) * k / aspect, dot(up) * k, e * z + w, -e]); }
function draw(time) {
  phase += (time - last) / 1000 * 5 * document.getElementById('speed').value, last = time;
  canvas.width = innerWidth * devicePixelRatio, canvas.height = innerHeight * devicePixelRatio;
  gl.viewport(0, 0, canvas.width, canvas.height), gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.uniformMatrix4fv(gl.getUniformLocation(program, 'view'), false, view(canvas.width / canvas.height));
  gl.uniform1f(gl.getUniformLocation(program, 'swing'), Math.sin(phase));
  gl.uniform1f(gl.getUniformLocation(program, 'scale'), data.scale * document.getElementById('size').value);
  gl.drawElements(gl.TRIANGLES, corners.length, gl.UNSIGNED_INT, 0), requestAnimationFrame(draw); }
requestAnimationFrame(draw);
</script>
)";

std::string base64(const void* data, size_t size)
{
    static constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto* bytes = static_cast<const unsigned char*>(data);
    std::string out;
    out.reserve(size / 3 * 4 + 4);
    for (size_t i = 0; i < size; i += 3)
    {
        const size_t left = std::min<size_t>(3, size - i);
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (k < left ? bytes[i + k] : 0u);
        for (size_t k = 0; k < 4; ++k)
            out += k <= left ? letters[bits >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

} // namespace

std::string mode_shapes_page(const ResponseModel& model)
{
    std::vector<Vec3> shapes;
    for (size_t mode = 0; mode < model.mode_count(); ++mode)
    {
        float largest = 1e-30f;
        for (uint32_t v = 0; v < model.vertices.size(); ++v)
            largest = std::max(largest, length(model.shapes_of(v)[mode]));
        for (uint32_t v = 0; v < model.vertices.size(); ++v)
            shapes.push_back(model.shapes_of(v)[mode] / largest);
    }
    Vec3 lower = model.vertices.front(), upper = lower;
    for (const Vec3& v : model.vertices)
        lower = min(lower, v), upper = max(upper, v);
    std::string out = page_begin;
    out += "const data = {frequencies: [";
    for (const float frequency : model.frequencies)
        out += fmt::format("{:.6g},", frequency / (2 * pi));
    out += fmt::format("], scale: {:.6g},\n", shown_size * length(upper - lower));
    out += "vertices: '" + base64(model.vertices.data(), model.vertices.size() * sizeof(Vec3)) + "',\n";
    out += "triangles: '" + base64(model.triangles.data(), model.triangles.size() * sizeof(model.triangles[0])) +
           "',\n";
    out += "shapes: '" + base64(shapes.data(), shapes.size() * sizeof(Vec3)) + "'};";
    return out + page_end;
}

} // namespace moraine::cli
