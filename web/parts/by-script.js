// Stands for 'pipeline-figure/fetch-part' in the script that has its parts beside it. A part is a classic script that this one
// adds to the page: that works from disk, where browsers load neither modules nor data, and under policies that trust this script.
// A part leaves a function behind, which takes the modules that it has in common with this script and gives what it exports.
const first = /** @type {HTMLScriptElement | null} */ (document.currentScript);
const base = first?.src ?? document.baseURI;
const LEFT = Symbol.for('pipeline-figure part');

/** @type {any[]} */
let common = [];

/** The build calls this. @param {any[]} modules  in the order in which parts know them */
export function share(modules) {
    common = modules;
}

/** Where a page demands trusted types, only addresses of this script's own parts are trusted. */
const policy = /** @type {any} */ (globalThis).trustedTypes;
/** @type {{ createScriptURL: (address: string) => any } | undefined} */
let trust;

/** @param {string} address @returns {any} */
function trusted(address) {
    if (!policy) return address;
    trust ??= policy.createPolicy('pipeline-figure', {
        createScriptURL(/** @type {string} */ text) {
            if (Object.values(PIPELINE_FIGURE_PARTS).some(({ file }) => new URL(file, base).href === text)) return text;
            throw new TypeError(`pipeline-figure: ${text} is not a part`);
        },
    });
    return /** @type {any} */ (trust).createScriptURL(address);
}

/** @param {string} name @returns {Promise<any>} what the part exports */
export function fetchPart(name) {
    const { file, integrity } = PIPELINE_FIGURE_PARTS[name];
    const address = new URL(file, base).href;
    return new Promise((loaded, lost) => {
        const script = document.createElement('script');
        if (first?.nonce) script.nonce = first.nonce;
        if (first && first.crossOrigin !== null) script.crossOrigin = first.crossOrigin;
        // A browser checks a digest only of what the page may read: not from disk, nor from elsewhere without CORS.
        const { protocol, origin } = new URL(address);
        const own = /^https?:$/.test(protocol) && origin === globalThis.origin;
        if (own || script.crossOrigin !== null) script.integrity = integrity;
        script.addEventListener('load', () => {
            const make = /** @type {any} */ (globalThis)[LEFT];
            /** @type {any} */ (globalThis)[LEFT] = undefined;
            script.remove();
            if (make) loaded(make(common));
            else lost(new Error(address));
        });
        script.addEventListener('error', () => {
            script.remove();
            lost(new Error(address));
        });
        script.src = trusted(address); // throws where a policy does not let the figure trust its parts
        document.head.append(script);
    });
}
