import type { FinishReason } from '../llm.js';

/**
 * The words of all wires for the reason of an end, in lower case. Servers borrow the words of one another, so one table
 * serves every wire.
 *
 * @see provider-rules A.8, B.6, C.2, D
 */
const meanings: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  complete: 'stop',
  completed: 'stop',
  tool_use: 'tool-calls',
  tool_calls: 'tool-calls',
  tool_call: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  content_filter: 'content-filter',
  refusal: 'content-filter',
  safety: 'content-filter',
  recitation: 'content-filter',
  blocklist: 'content-filter',
  prohibited_content: 'content-filter',
  spii: 'content-filter',
  pause_turn: 'paused',
  abort: 'interrupted',
  aborted: 'interrupted',
  cancelled: 'interrupted',
  canceled: 'interrupted',
  error: 'interrupted',
  failed: 'interrupted',
  incomplete: 'interrupted',
  in_progress: 'interrupted',
  queued: 'interrupted',
  insufficient_system_resource: 'interrupted',
};

/**
 * Returns the meaning of the word with which a server says why an answer ended; `other` for an unknown word. A natural
 * end is `tool-calls` if the answer has calls, else `stop`: servers say either for both.
 */
export function finishReasonOf(word: unknown, hasCalls: boolean): FinishReason {
  const key = typeof word === 'string' ? word.toLowerCase().replaceAll('-', '_') : '';
  const meaning = Object.hasOwn(meanings, key) ? (meanings[key] as FinishReason) : 'other';
  return meaning === 'stop' || meaning === 'tool-calls' ? naturalEnd(hasCalls) : meaning;
}

/** Returns the reason of an answer that ended naturally. */
export function naturalEnd(hasCalls: boolean): FinishReason {
  return hasCalls ? 'tool-calls' : 'stop';
}
