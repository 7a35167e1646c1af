// What the bundler understands beyond JavaScript.
declare module '*.css' {
    const text: string;
    export default text;
}
declare module 'pipeline-figure/core-js' {
    export default function instance(): WebAssembly.Exports;
}
declare const PIPELINE_FIGURE_VERSION: string;
