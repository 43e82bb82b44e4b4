import { objectIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';

/** An answer of the Responses API, before it is given its envelope. */
export interface ResponsesAnswer {
  /** Undefined for a server that sends none. */
  readonly id: string | undefined;
  /** Unit: seconds since 1970. */
  readonly createdAt: number;
  /** The request, whose settings the answer repeats. */
  readonly request: JsonObject;
  /** Items with ids, whole. */
  readonly output: readonly JsonObject[];
  /** Null where nothing is counted. */
  readonly usage: JsonObject | null;
  /** Why the answer stops in the middle. */
  readonly incomplete?: 'max_output_tokens' | 'content_filter' | undefined;
  /** Why there is no answer. */
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

/** How an answer ended: the status, and the last part of the name of a stream's last event. */
export function endOf({ incomplete, failure }: ResponsesAnswer): 'completed' | 'incomplete' | 'failed' {
  if (failure !== undefined) return 'failed';
  return incomplete === undefined ? 'completed' : 'incomplete';
}

/** The body of a complete answer. @see provider-rules C.2, C.3 */
export function responseObject(answer: ResponsesAnswer): JsonObject {
  return {
    ...emptyResponse(answer),
    status: endOf(answer),
    error: answer.failure ?? null,
    incomplete_details: answer.incomplete === undefined ? null : { reason: answer.incomplete },
    output: answer.output,
    usage: answer.failure === undefined ? answer.usage : null,
  };
}

/** The body as a stream's first events have it: nothing said yet, nothing counted. */
export function emptyResponse({ id, createdAt, request }: ResponsesAnswer): JsonObject {
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    model: request.model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...objectIn(request.reasoning) },
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: request.text ?? { format: { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    usage: null,
  };
}
