// Exits 0 if node_modules holds what package-lock.json asks for, at those versions. Packages that are optional (builds
// for other machines) may be absent.
import { readFileSync } from 'node:fs';

function packages(file) {
    return JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')).packages;
}

try {
    const wanted = packages('package-lock.json');
    const present = packages('node_modules/.package-lock.json');
    const missing = Object.keys(wanted).some(
        (path) =>
            path !== '' &&
            present[path]?.version !== wanted[path].version &&
            !(wanted[path].optional && present[path] === undefined),
    );
    process.exitCode = missing ? 1 : 0;
} catch {
    process.exitCode = 1;
}
