// The bytes that stand inside a script as text: deflated by the build, in base64. The browser takes them back.

/**
 * @param {string} text  base64 of a zlib stream @returns {Promise<Uint8Array>}
 * @throws where the browser has no DecompressionStream: Chrome has it since 80, Firefox since 113, Safari since 16.4
 */
export async function inflated(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}
