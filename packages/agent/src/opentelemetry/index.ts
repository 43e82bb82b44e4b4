export { MissingPackageError } from '../errors.js';
export { openTelemetry } from './open-telemetry.js';
export type { OpenTelemetryOptions } from './options.js';
