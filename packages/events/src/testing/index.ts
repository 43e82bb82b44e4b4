export type { LogBuilder } from './log-builder.js';
export { logBuilder } from './log-builder.js';
export { eventStoreContract } from './event-store-contract.js';
