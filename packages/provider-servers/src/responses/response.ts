import { objectIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';

/** An answer of the Responses API without its envelope. */
export interface ResponsesAnswer {
  /** Undefined for a server that sends no id. */
  readonly id: string | undefined;
  /** Unit: seconds since 1970. */
  readonly createdAt: number;
  /** The request. The answer repeats its settings. */
  readonly request: JsonObject;
  /** Complete items with ids. */
  readonly output: readonly JsonObject[];
  /** Null if the server counts nothing. */
  readonly usage: JsonObject | null;
  /** The reason of an incomplete answer. */
  readonly incomplete?: 'max_output_tokens' | 'content_filter' | undefined;
  /** The error of a failed answer. */
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

/** The status of an answer, which is also the last part of the name of the last stream event. */
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

/** The body in the first events of a stream: no output and no usage yet. */
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
