export type { AiMessage } from './codec.js';
export { modelMessages, promptMessages } from './codec.js';
export type { CondensingOptions, CondensingStep } from './condensing.js';
export { condensing } from './condensing.js';
export type { HistoryTool, ToolOutput } from './history-tools.js';
export type { HistoryOptions } from './histories.js';
export type { CallParams, CondensingMiddleware, CondensingMiddlewareOptions } from './middleware.js';
export { condensingMiddleware } from './middleware.js';
export type { Step } from './step-messages.js';
