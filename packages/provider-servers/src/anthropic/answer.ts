import type { DeliveryFault } from '../provider-fault.js';
import { listIn, objectIn, textIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';
import { claudeModel } from './claude-model.js';
import { anthropicRequestParts, blocksOf, isThinking } from './request-parts.js';

/** What a model is made to answer. */
export interface AnthropicAnswer {
  /** Blocks as Anthropic writes them. Thinking needs no signature: the server signs it, over one that is given too. */
  readonly content: readonly JsonObject[];
  /** @defaultValue `tool_use` when a block is one, else `end_turn` */
  readonly stop_reason?: string;
  /** One of the request's, for the reason `stop_sequence`. */
  readonly stop_sequence?: string;
  /** Fields that replace what the server has counted. */
  readonly usage?: JsonObject;
  /** What happens to the answer on its way. */
  readonly delivery?: DeliveryFault;
}

const stopReasons = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
];

/**
 * Why the provider could never send the answer, so that no test rests on one; undefined when it could. Seen: empty text, ids
 * of calls that are malformed or used before, inputs that are no object, calls that the request has no tools for or forbids,
 * thinking that it turned off, an end on thinking, reasons that do not exist or do not fit. A call of a tool by a name that
 * was not declared is sent: models do that.
 *
 * @see provider-rules A.3, A.4, A.5, A.8
 */
export function whyNeverSent(answer: AnthropicAnswer, body: JsonObject): string | undefined {
  const { content, stop_reason: reason } = answer;
  const { turns } = anthropicRequestParts(body, 'messages', []);
  const used = new Set(blocksOf(turns, 'tool_use').map(({ value }) => value.id));
  const hasTools = listIn(body.tools).length > 0 && objectIn(body.tool_choice)?.type !== 'none';
  for (const [index, block] of content.entries()) {
    const { type } = block;
    const at = `content.${index}`;
    if (typeof type !== 'string') return `${at} has no type`;
    if (type === 'tool_result' || type === 'image') return `${at}: only a user sends '${type}'`;
    if (type === 'text' && (textIn(block.text) ?? '') === '') return `${at}: text is never empty`;
    if (type === 'thinking' && typeof block.thinking !== 'string') return `${at}: thinking is text`;
    if (isThinking({ type }) && !maySendThinking(body)) return `${at}: the request has thinking turned off`;
    if (type !== 'tool_use') continue;
    if (!/^[a-zA-Z0-9_-]+$/.test(textIn(block.id) ?? '')) return `${at}: the id of a call is letters, digits, _ and -`;
    if (used.has(block.id)) return `${at}: the id '${String(block.id)}' was used before`;
    used.add(block.id);
    if (typeof block.name !== 'string') return `${at}: a call has a name`;
    if (objectIn(block.input) === undefined) return `${at}: the input of a call is an object`;
    if (!hasTools) return `${at}: the request has no tools, or forbids their use`;
  }
  if (isThinking({ type: textIn(content.at(-1)?.type) ?? '' })) return 'an answer never ends with thinking';
  const calls = content.some(({ type }) => type === 'tool_use');
  if (reason === undefined) return undefined;
  if (!stopReasons.includes(reason)) return `there is no stop_reason '${reason}'`;
  if (reason === 'tool_use' && !calls) return 'stop_reason is tool_use and no block is a call';
  if (reason === 'end_turn' && calls) return 'stop_reason is end_turn and a block is a call';
  const isAsked = listIn(body.stop_sequences).includes(answer.stop_sequence);
  return reason === 'stop_sequence' && !isAsked ? 'stop_sequence is not one of the request' : undefined;
}

function maySendThinking({ model, thinking }: JsonObject): boolean {
  const type = objectIn(thinking)?.type;
  return type === undefined ? claudeModel(textIn(model) ?? '').mayThinkUnasked : type !== 'disabled';
}

/** The part of the answer that fits into a number of tokens, and whether that is all: text is cut, any other block left out. */
export function fitted(
  content: readonly JsonObject[],
  maxTokens: number,
): { readonly content: readonly JsonObject[]; readonly isWhole: boolean } {
  const kept: JsonObject[] = [];
  let room = maxTokens;
  for (const block of content) {
    const tokens = tokensOfBlock(block);
    if (tokens <= room) {
      kept.push(block);
      room -= tokens;
      continue;
    }
    const text = [...(textIn(block.text) ?? '')].slice(0, Math.max(0, room) * 4).join('');
    if (block.type === 'text' && text !== '') kept.push({ ...block, text });
    while (isThinking({ type: textIn(kept.at(-1)?.type) ?? '' })) kept.pop();
    return { content: kept, isWhole: false };
  }
  return { content: kept, isWhole: true };
}

/** Four characters a token, as everywhere here; of text and thinking their own, of other blocks those of their JSON. */
export function tokensOfBlock(block: JsonObject): number {
  const words = block.type === 'text' ? block.text : block.type === 'thinking' ? block.thinking : undefined;
  const shown = textIn(words) ?? JSON.stringify(block.type === 'tool_use' ? [block.name, block.input] : block);
  return Math.ceil(shown.length / 4);
}
