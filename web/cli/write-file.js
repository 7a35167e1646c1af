// Writing a file whole or not at all: a full disk must not cost the reader the file that stood there.
import {
    accessSync,
    chmodSync,
    closeSync,
    constants,
    lstatSync,
    openSync,
    realpathSync,
    renameSync,
    rmSync,
    statSync,
    writeFileSync,
} from 'node:fs';

/**
 * Writes beside the file and then gives it its name. What is no ordinary file (a pipe, a device, a link to nothing) is written to
 * as it is, and so is a file in a folder where nothing may be made. Throws what node:fs throws; the old file then stands as it was.
 * @param {string} file @param {() => Iterable<string>} pieces  of its text; called again where the first way does not lead
 */
export function writeWhole(file, pieces) {
    const known = statSync(file, { throwIfNoEntry: false });
    const named = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    if (named && !known?.isFile()) {
        writePieces(file, 'w', pieces());
        return;
    }
    // To rename asks for no leave of the old file: one that may not be written must stay.
    if (known) accessSync(file, constants.W_OK);
    const target = known ? realpathSync(file) : file;
    const part = `${target}.${process.pid}.part`;
    try {
        writePieces(part, 'wx', pieces());
        if (known) chmodSync(part, known.mode & 0o7777);
        renameSync(part, target);
    } catch (error) {
        const { code } = /** @type {NodeJS.ErrnoException} */ (error);
        if (code !== 'EEXIST') rmSync(part, { force: true });
        if (known && (code === 'EACCES' || code === 'EPERM')) writePieces(target, 'w', pieces());
        else throw error;
    }
}

/** @param {string} file @param {string} flag @param {Iterable<string>} pieces */
function writePieces(file, flag, pieces) {
    const opened = openSync(file, flag);
    try {
        for (const piece of pieces) writeFileSync(opened, piece);
    } finally {
        closeSync(opened);
    }
}
