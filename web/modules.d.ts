// What the bundler understands beyond JavaScript.
declare module '*.css' {
    const text: string;
    export default text;
}
declare module 'pipeline-figure/core-js';
declare const PIPELINE_FIGURE_VERSION: string;
declare const PIPELINE_FIGURE_PARTS: Record<string, { file: string; integrity: string }>;
