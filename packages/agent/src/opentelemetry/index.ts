export type { OpenTelemetryOptions } from './telemetry-options.js';
export { openTelemetry } from './open-telemetry.js';
export { MissingPackageError } from '../errors.js';
