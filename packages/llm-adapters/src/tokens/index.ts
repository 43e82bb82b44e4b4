export type { CalibrationOptions, CountedCall } from './calibration.js';
export { calibrated, calibrationFactor } from './calibration.js';
export { counterFor, o200kCounter } from './o200k.js';
export type { EstimateOptions } from './estimate.js';
export { estimateCounter } from './estimate.js';
export type { O200kOptions } from './o200k.js';
export type { CountedRequest, TokenCounter } from './token-counter.js';
export { TokenCountError } from './token-counter.js';
