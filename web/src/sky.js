// Light and sky: bright above, the colour of the mist along the horizon and below, so that no floor ends in a hard edge.
import * as THREE from 'three';

export const MIST = new THREE.Color(0xdde5ee);
const ZENITH = new THREE.Color(0x86abd6);

export function addSky(scene) {
    const material = new THREE.ShaderMaterial({
        side: THREE.BackSide,
        depthWrite: false,
        depthTest: false,
        fog: false,
        toneMapped: false,
        uniforms: { uMist: { value: MIST }, uZenith: { value: ZENITH } },
        vertexShader: `varying vec3 vWay;
            void main() { vWay = position; gl_Position = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0); }`,
        fragmentShader: `varying vec3 vWay; uniform vec3 uMist; uniform vec3 uZenith;
            void main() {
                float up = max(0.0, normalize(vWay).y);
                gl_FragColor = vec4(mix(uMist, uZenith, 1.0 - exp(-5.0 * up)), 1.0);
                #include <colorspace_fragment>
            }`,
    });
    const sky = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), material);
    sky.frustumCulled = false;
    sky.renderOrder = -10;
    scene.add(sky);
    scene.fog = new THREE.Fog(MIST, 100, 400);
}

// A warm sun with shadows, a cool sky, and a little from behind so that dark sides keep their shape.
export function addLight(scene) {
    scene.add(new THREE.HemisphereLight(0xf2f6ff, 0xc2b9ab, 1.75));
    const fill = new THREE.DirectionalLight(0xdfe9ff, 0.6);
    fill.position.set(-0.9, 0.5, 0.25);
    const sun = new THREE.DirectionalLight(0xfff0da, 2.5);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.bias = -0.0004;
    sun.shadow.normalBias = 0.03;
    sun.shadow.radius = 3;
    scene.add(fill, sun, sun.target);
    return sun;
}
