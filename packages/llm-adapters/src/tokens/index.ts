export { calibrated, calibrationFactor } from './calibration.js';
export { counterFor, o200kCounter } from './o200k.js';
export { estimateCounter } from './estimate.js';
export type { TokenCounter } from './token-counter.js';
export { TokenCountError } from './token-counter.js';
