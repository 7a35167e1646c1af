// The schedule taken out of the page.
export { Files } from '../files.js';
export { PythonPanel } from '../python-panel.js';
