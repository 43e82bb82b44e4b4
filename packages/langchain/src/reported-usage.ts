import { field, isRecord, listOf } from '@palimpsest/messages';

/** Returns the usage that an answer reports: LangChain's counts, or where there are none those of its provider. */
export function usageOf(answer: unknown): unknown {
  // An answer with a structured response is a state: its message is the last one.
  const message = listOf(field(answer, 'messages')).at(-1) ?? answer;
  const said = field(message, 'response_metadata');
  return [field(message, 'usage_metadata'), field(said, 'usage'), field(said, 'tokenUsage')].find(isRecord);
}
