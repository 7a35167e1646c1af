// What the bundler understands beyond JavaScript.
declare module '*.css' {
    const text: string;
    export default text;
}
