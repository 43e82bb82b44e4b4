export type { FileEventStore, FileEventStoreOptions } from './file-event-store.js';
export { fileEventStore } from './file-event-store.js';
export type { RepairReport } from './repair.js';
