import { anthropicMessages, chatMessages, responsesItems } from '@palimpsest/messages';
import type { Codec } from '@palimpsest/messages';

/** An API whose requests the gateway reads. */
export interface Wire {
  readonly name: 'messages' | 'chat' | 'responses';
  readonly codec: Codec;
  /** The key of the body that holds the list. */
  readonly list: string;
  /** The key of the instructions beside it. @defaultValue they stand in the list */
  readonly system?: string;
}

const wires: ReadonlyMap<string, Wire> = new Map<string, Wire>([
  ['/messages', { name: 'messages', codec: anthropicMessages(), list: 'messages', system: 'system' }],
  ['/chat/completions', { name: 'chat', codec: chatMessages(), list: 'messages' }],
  ['/responses', { name: 'responses', codec: responsesItems(), list: 'input', system: 'instructions' }],
]);

/** Returns the API of a path, below any base. Undefined for any other path: its requests go on as they came. */
export function wireOf(path: string): Wire | undefined {
  return [...wires].find(([end]) => path === end || path.endsWith(`/v1${end}`))?.[1];
}

/** With one of these the list is only what the provider does not hold yet. */
const keysOfState = ['previous_response_id', 'conversation'];

/** Returns true if the provider holds a part of the conversation itself. */
export function isHeldByProvider(body: Readonly<Record<string, unknown>>): boolean {
  return keysOfState.some((key) => body[key] !== undefined && body[key] !== null);
}
