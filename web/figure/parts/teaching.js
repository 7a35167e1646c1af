// What explains the chart, under it.
export { Lecture } from '../lecture.js';
export { Teaching } from '../teaching.js';
