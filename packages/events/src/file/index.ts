export type { FileEventStore } from './file-event-store.js';
export { fileEventStore } from './file-event-store.js';
