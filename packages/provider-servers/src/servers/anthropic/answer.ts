import type { DeliveryFault } from '../faults.js';
import { listIn, objectIn, textIn } from '../../rules/wire/wire-json.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';
import { claudeModel } from '../../rules/anthropic/model.js';
import { anthropicRequestParts, blocksOf, isThinking } from '../../rules/anthropic/parts.js';

/** A scripted answer of the model. */
export interface AnthropicAnswer {
  /**
   * Content blocks in the form of Anthropic. The server signs thinking and replaces a given signature. The input of a call may be
   * the JSON text that the model wrote: a stream then carries it to the byte, and the last one of a cut answer may be half of it.
   */
  readonly content: readonly JsonObject[];
  /** @defaultValue `tool_use` if a block is a tool call, otherwise `end_turn` */
  readonly stop_reason?: string;
  /**
   * `closed` if a stream closes the last block, for an answer that was cut. @defaultValue `closed`, as the provider does; compatible
   * servers leave it `open`
   */
  readonly lastBlock?: 'closed' | 'open';
  /** A stop sequence of the request, for the reason `stop_sequence`. */
  readonly stop_sequence?: string;
  /** Fields that replace the counts of the server. */
  readonly usage?: JsonObject;
  /** A fault during the delivery of the answer. */
  readonly delivery?: DeliveryFault;
}

/** The reasons of an answer whose last input may be half of one. */
const cutReasons = ['max_tokens', 'refusal', 'model_context_window_exceeded'];

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
 * Returns the reason why the provider could never send the answer; undefined if it could. Prevents tests that depend on impossible answers.
 * Impossible are: empty text, malformed or repeated call ids, inputs that are not objects (half of one ends a cut answer), calls without tools in the request
 * or forbidden by it, thinking that the request turned off, thinking as the last block, and stop reasons that do not exist or
 * do not fit. Calls of undeclared tool names are sent, because models make them.
 *
 * @see provider-rules A.3, A.4, A.5, A.8
 */
export function impossibleReplyReason(answer: AnthropicAnswer, body: JsonObject): string | undefined {
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
    const isCut = index === content.length - 1 && cutReasons.includes(reason ?? '');
    if (inputOf(block) === undefined && !(isCut && typeof block.input === 'string')) {
      return `${at}: the input of a call is an object`;
    }
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

/** Returns the input of a call as the provider sends it without streaming: parsed, and empty where it was cut. */
export function wholeInput(block: JsonObject): JsonObject {
  return block.type === 'tool_use' ? { ...block, input: inputOf(block) ?? {} } : block;
}

function inputOf({ input }: JsonObject): JsonObject | undefined {
  if (typeof input !== 'string') return objectIn(input);
  try {
    return objectIn(JSON.parse(input));
  } catch {
    return undefined;
  }
}

/**
 * Returns the part of the answer within a token limit, and whether it is complete. The text of a block and the input of a call
 * are cut; other blocks are left out.
 */
export function truncateToLimit(
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
    const begun = block.type === 'tool_use' ? room * 4 - JSON.stringify([block.name]).length : 0;
    if (begun > 0) kept.push({ ...block, input: inputText(block).slice(0, begun) });
    while (isThinking({ type: textIn(kept.at(-1)?.type) ?? '' })) kept.pop();
    return { content: kept, isWhole: false };
  }
  return { content: kept, isWhole: true };
}

/**
 * Returns the tokens of a block, at four characters per token: of the text for text and thinking, of the JSON for other
 * blocks.
 */
export function tokensOfBlock(block: JsonObject): number {
  const words = block.type === 'text' ? block.text : block.type === 'thinking' ? block.thinking : undefined;
  const shown =
    textIn(words) ??
    (block.type === 'tool_use' ? JSON.stringify([block.name]) + inputText(block) : JSON.stringify(block));
  return Math.ceil(shown.length / 4);
}

/** Returns the JSON text of a call's input. */
export function inputText({ input }: JsonObject): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
}
