// As much of a document as drawing a scene needs, with a count of the nodes made: tests of DOM drawing run without a
// browser.

class FakeElement {
    constructor(ownerDocument, namespaceURI, localName) {
        Object.assign(this, { ownerDocument, namespaceURI, localName });
        this.attributes = new Map();
        this.children = [];
        this.parent = null;
        this.text = '';
        const words = () => (this.attributes.get('class') ?? '').split(' ').filter(Boolean);
        const write = (list) => this.attributes.set('class', list.join(' '));
        this.classList = {
            add: (word) => words().includes(word) || write([...words(), word]),
            contains: (word) => words().includes(word),
            toggle: (word, on) => write(on ? [...new Set([...words(), word])] : words().filter((w) => w !== word)),
        };
    }

    setAttribute(name, value) {
        assertPlain(name);
        this.ownerDocument.writes++;
        this.attributes.set(name, String(value));
    }

    getAttribute(name) {
        return this.attributes.get(name) ?? null;
    }

    removeAttribute(name) {
        this.attributes.delete(name);
    }

    get firstElementChild() {
        return this.children[0] ?? null;
    }

    get nextElementSibling() {
        const around = this.parent?.children ?? [];
        return around[around.indexOf(this) + 1] ?? null;
    }

    set textContent(text) {
        this.text = text;
        this.children = [];
    }

    append(...nodes) {
        for (const node of nodes) this.insertBefore(node, null);
    }

    insertBefore(node, before) {
        node.parent = this;
        const at = before ? this.children.indexOf(before) : this.children.length;
        this.children.splice(at, 0, node);
        return node;
    }

    remove() {
        this.parent.children.splice(this.parent.children.indexOf(this), 1);
        this.parent = null;
    }

    /** As text, attributes in the order they were set. */
    serialize() {
        const entities = (text) =>
            text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
        const attributes = [...this.attributes].map(([name, value]) => ` ${name}="${entities(value)}"`).join('');
        const inner = entities(this.text) + this.children.map((child) => child.serialize()).join('');
        return `<${this.localName}${attributes}${inner === '' ? '/>' : `>${inner}</${this.localName}>`}`;
    }
}

function assertPlain(name) {
    // What a strict policy forbids a page to do.
    if (name === 'style' || name.startsWith('on')) throw new Error(`attribute ${name}`);
}

export function fakeDocument() {
    const document = {
        made: 0,
        writes: 0,
        createElementNS(namespace, name) {
            document.made++;
            return new FakeElement(document, namespace, name);
        },
    };
    return document;
}
