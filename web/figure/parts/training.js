// The network that the schedule trains.
export { TrainingPanel } from '../training-panel.js';
