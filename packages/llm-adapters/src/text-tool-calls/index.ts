export type { TextToolCallsOptions } from './text-tool-calls.js';
export { textToolCalls } from './text-tool-calls.js';
