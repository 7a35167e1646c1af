// What explains the chart, under it.
export { Teaching } from '../teaching.js';
