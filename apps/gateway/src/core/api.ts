import { anthropicMessages, chatMessages, field, listOf, responsesItems } from '@palimpsest/messages';
import type { Codec } from '@palimpsest/messages';
import type { ApiName } from '../receipts/receipt.js';

/** An API whose requests the gateway reads. */
export interface Api {
  readonly name: ApiName;
  readonly codec: Codec;
  /** The key of the body that holds the list. */
  readonly list: string;
  /** The key of the instructions beside it. @defaultValue they stand in the list */
  readonly system?: string;
}

const messages: Api = { name: 'messages', codec: anthropicMessages(), list: 'messages', system: 'system' };

const apis: ReadonlyMap<string, { readonly api: Api; readonly counts?: true }> = new Map([
  ['/messages', { api: messages }],
  ['/messages/count_tokens', { api: messages, counts: true as const }],
  ['/chat/completions', { api: { name: 'chat', codec: chatMessages(), list: 'messages' } }],
  ['/responses', { api: { name: 'responses', codec: responsesItems(), list: 'input', system: 'instructions' } }],
]);

/**
 * Returns the API of a path, below any base, and whether its requests only count. Undefined for any other path: its requests go on as
 * they came.
 */
export function apiOf(path: string): { readonly api: Api; readonly counts?: true } | undefined {
  return [...apis].find(([end]) => path === end || path.endsWith(`/v1${end}`))?.[1];
}

/** Returns true if the provider holds a part of the conversation itself: the list is only what it does not hold yet. */
export function isHeldByProvider(body: Readonly<Record<string, unknown>>): boolean {
  return ['previous_response_id', 'conversation'].some((key) => body[key] !== undefined && body[key] !== null);
}

/** Returns true if the provider condenses this request: what was condensed before stays so, and no more is. */
export function isCondensedByProvider(body: Readonly<Record<string, unknown>>, list: readonly unknown[]): boolean {
  const { context_management: management } = body;
  const edits = [...listOf(management), ...listOf(field(management, 'edits'))];
  const isTrigger = field(list.at(-1), 'type') === 'compaction_trigger';
  return isTrigger || edits.some((edit) => !String(field(edit, 'type')).startsWith('clear_thinking'));
}
