export type { LocalPostgres } from './local-postgres.js';
export { localPostgres } from './local-postgres.js';
