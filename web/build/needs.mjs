// What one module of the core calls of the other, as a file of options for the linker: node needs.mjs core_rest.wasm core_exports.txt
import { readFileSync, writeFileSync } from 'node:fs';

const [module, options] = process.argv.slice(2);
const needed = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(module)))
    .filter(({ kind }) => kind === 'function')
    .map(({ name }) => `--export=${name}`);
writeFileSync(options, `${needed.join('\n')}\n`);
