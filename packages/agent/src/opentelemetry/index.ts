export { MissingPackageError } from '../errors.js';
export { openTelemetry } from './open-telemetry.js';
export type { RequestCounts, RunnerMetrics, RunnerMetricsOptions } from './runner-metrics.js';
export { runnerMetrics } from './runner-metrics.js';
