// The page in a frame, for places that strip scripts. Its address says what is shown, as attributes of the element:
//     embed.html?schedule=1f1b&ranks=4&microbatches=8&lang=en        or behind # where a platform eats the query
// It tells the page around it how tall it is, in the way of LTI platforms and in our own.
{
    const query = location.search.length > 1 ? location.search : location.hash;
    const settings = new URLSearchParams(query.replace(/^[?#]/, ''));
    const id = settings.get('id') ?? '';
    settings.delete('id');
    document.documentElement.lang = settings.get('lang') ?? 'ru';
    const figure = document.createElement('pipeline-figure');
    // An address may be written by anyone: settings only, no other attributes, no scripts.
    const known = new Set(/** @type {any} */ (figure.constructor).observedAttributes);
    known.delete('nowasm');
    for (const [name, value] of settings) if (known.has(name)) figure.setAttribute(name, value);
    document.body.append(figure);
    let told = 0;
    const tell = () => {
        const height = Math.ceil(document.body.getBoundingClientRect().height);
        if (height === told || window === parent) return;
        told = height;
        parent.postMessage({ subject: 'lti.frameResize', height }, '*');
        parent.postMessage({ type: 'pipeline-figure:resize', id, height }, '*');
    };
    // Not before there is a figure: a frame that shrinks around nothing, and grows again, moves the page twice.
    /** @type {any} */ (figure).ready.then(() => new ResizeObserver(tell).observe(document.body));
}
