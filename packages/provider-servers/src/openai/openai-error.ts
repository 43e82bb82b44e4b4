import type { ServerError } from '../provider-server.js';
import type { JsonObject } from '../wire-json.js';

/** An error with the place in the request that caused it. */
export interface OpenAIError extends ServerError {
  /** @defaultValue null */
  readonly param?: string | null;
  /** Additional fields of some servers. */
  readonly details?: JsonObject;
}
