// Reads what src/record/bytes.h writes.
const decoder = new TextDecoder();

export class Reader {
    constructor(bytes) {
        this.bytes = bytes;
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        this.at = 0;
    }
    u8() {
        return this.bytes[this.at++];
    }
    u32() {
        const value = this.view.getUint32(this.at, true);
        this.at += 4;
        return value;
    }
    f32() {
        const value = this.view.getFloat32(this.at, true);
        this.at += 4;
        return value;
    }
    f64() {
        const value = this.view.getFloat64(this.at, true);
        this.at += 8;
        return value;
    }
    hex64() {
        const low = this.u32();
        return this.u32().toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
    }
    // Exact up to 2^53, which is enough for quantised positions anywhere within a million kilometres.
    varint() {
        let byte = this.bytes[this.at++];
        if (byte < 128) return byte;
        let value = byte & 127;
        for (let scale = 128; byte >= 128; scale *= 128) {
            byte = this.bytes[this.at++];
            if (byte === undefined) throw new Error('the data ends too early');
            value += (byte & 127) * scale;
        }
        return value;
    }
    signed() {
        const value = this.varint();
        return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    }
    text() {
        const size = this.varint();
        const value = decoder.decode(this.bytes.subarray(this.at, this.at + size));
        this.at += size;
        return value;
    }
    floats(count) {
        const values = new Float32Array(count);
        for (let i = 0; i < count; ++i) values[i] = this.f32();
        return values;
    }
    get left() {
        return this.bytes.length - this.at;
    }
}
