export type { BuiltBatch, CallBuilder, CallSpec, Extra } from './call-builder.js';
export type { ExtraMessageFields, LogBuilder, LogBuilderOptions } from './log-builder.js';
export { logBuilder } from './log-builder.js';
export type { EventStoreContractOptions } from './event-store-contract.js';
export { eventStoreContract } from './event-store-contract.js';
export type { StoreUnderTest } from './store-rule.js';
