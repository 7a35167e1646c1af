// Writing a file whole or not at all: a full disk must not cost the reader the file that stood there.
import { lstatSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes beside the file and then gives it its name. What is no ordinary file (a pipe, a device) is written to as it is, and so
 * is a file in a folder where nothing may be made. Throws what node:fs throws; the old file then stands as it was.
 * @param {string} file @param {string} text
 */
export function writeWhole(file, text) {
    const old = lstatSync(file, { throwIfNoEntry: false });
    const target = old?.isSymbolicLink() ? realpathSync(file) : file;
    const known = lstatSync(target, { throwIfNoEntry: false });
    if (known && !known.isFile()) {
        writeFileSync(target, text);
        return;
    }
    const part = `${target}.${process.pid}.part`;
    try {
        writeFileSync(part, text, { flag: 'wx', mode: known ? known.mode & 0o777 : 0o666 });
        renameSync(part, target);
    } catch (error) {
        const { code } = /** @type {NodeJS.ErrnoException} */ (error);
        if (code !== 'EEXIST') rmSync(part, { force: true });
        if (known && (code === 'EACCES' || code === 'EPERM')) writeFileSync(target, text);
        else throw error;
    }
}
