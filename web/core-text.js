// The compiled core as text inside a script: plain ASCII without quotes, backslashes or '<', so that it may stand in any
// string of any page. Most bytes are one character each, so a compressed script is hardly longer for it; base64 cuts bytes
// across characters, which hides their likeness and costs a third more.

const alphabet = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((c) => !'"\\`$<'.includes(c));
const PLAIN = alphabet.length - 2; // the last two are marks: the byte behind is so much larger, once or twice

/** @param {Uint8Array} bytes */
export function pack(bytes) {
    let text = '';
    for (const byte of bytes) {
        const times = Math.floor(byte / PLAIN);
        text += (times > 0 ? alphabet[PLAIN + times - 1] : '') + alphabet[byte % PLAIN];
    }
    return text;
}

/** @param {string} text */
export function unpack(text) {
    const index = new Uint8Array(128);
    for (const [i, character] of alphabet.entries()) index[character.charCodeAt(0)] = i;
    const bytes = new Uint8Array(text.length);
    let count = 0;
    let larger = 0;
    for (let at = 0; at < text.length; at++) {
        const i = index[text.charCodeAt(at)];
        if (i >= PLAIN) {
            larger = PLAIN * (i - PLAIN + 1);
        } else {
            bytes[count++] = larger + i;
            larger = 0;
        }
    }
    return bytes.slice(0, count);
}
