export { MissingPackageError } from '../errors.js';
export { openTelemetry } from './open-telemetry.js';
