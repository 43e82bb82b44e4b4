export type { AiMessage } from './codec.js';
export { modelMessages, promptMessages } from './codec.js';
export type { CondensingOptions, CondensingStep } from './condensing.js';
export { condensing } from './condensing.js';
export type { CondensingMiddleware } from './middleware.js';
export { condensingMiddleware } from './middleware.js';
