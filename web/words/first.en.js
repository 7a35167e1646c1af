// English that may be needed before, or without, the rest of it (strings.en.js): what keeps a figure from living, and what keeps
// a part of it away.
export default {
    // When there is nothing to show
    blocked_policy:
        "This page forbids WebAssembly (CSP), so a still picture is shown below. For its author: allow script-src 'wasm-unsafe-eval', or name the build without WebAssembly, nowasm=pipeline-figure.nowasm.js.",
    blocked_missing:
        'WebAssembly is switched off in this browser (Lockdown mode, for example), so a still picture is shown below. For the author of the page: the build without WebAssembly helps, nowasm=pipeline-figure.nowasm.js.',
    blocked_old:
        'This browser is too old to unpack the figure (it needs DecompressionStream: Chrome 80, Firefox 113, Safari 16.4), so a still picture is shown below. For the author of the page: the build without WebAssembly helps, nowasm=pipeline-figure.nowasm.js.',
    blocked_plain:
        'WebAssembly is forbidden or switched off here, and its replacement, {0}, could not be loaded: check the address and the policy of the page (script-src, require-trusted-types-for). A still picture is shown below.',
    blocked_xhtml:
        'The page is served as XHTML, in which the figure cannot live, so its still picture is shown. For the author: serve the page as text/html.',
    blocked_file:
        'Instead of the file {0} something else came ({1}), so the still picture is shown below. For the author: put that file beside the script.',
    blocked_fault: 'A fault has stopped the figure ({0}). A still picture is shown below.',
    blocked_other: 'The figure could not be brought to life ({0}). A still picture is shown below.',

    // Parts that come when they are opened
    part_coming: 'On its way…',
    part_lost: 'This part of the figure could not be loaded. The rest goes on working.',
    part_again: 'Try again',
};
