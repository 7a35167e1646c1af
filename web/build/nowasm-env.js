// What the core as JavaScript imports: wasm2js writes `import … from 'env'`.

export function emscripten_notify_memory_growth() {}
