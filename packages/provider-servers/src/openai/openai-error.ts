import type { ServerError } from '../provider-server.js';
import type { JsonObject } from '../wire-json.js';

/** An error with the place in the request that it is about. */
export interface OpenAIError extends ServerError {
  /** @defaultValue null */
  readonly param?: string | null;
  /** More fields, for the servers that have them. */
  readonly details?: JsonObject;
}
