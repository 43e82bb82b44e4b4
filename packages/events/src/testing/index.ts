export type { BuiltBatch, CallBuilder, CallSpec, Extra } from './call-builder.js';
export type { ExtraMessageFields, LogBuilder, LogBuilderOptions } from './log-builder.js';
export { logBuilder } from './log-builder.js';
