import { config } from 'zod/mini';

// The policy of the page allows no code from text. Without this zod tries that, and the browser reports it. Imported before any schema.
config({ jitless: true });
