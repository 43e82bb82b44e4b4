import { listIn, objectIn, textIn } from '../wire/wire-json.js';
import type { JsonObject } from '../wire/wire-json.js';
import { claudeModel } from './model.js';
import type { ClaudeModel } from './model.js';
import type { Report, Violation } from '../wire/violation.js';

/** One block of a message, with its place in the body. */
export interface AnthropicBlock {
  readonly path: string;
  readonly type: string;
  readonly value: JsonObject;
}

/** One message of the body, or consecutive messages of one role merged, with the place of the first. */
export interface AnthropicTurn {
  readonly path: string;
  readonly role: string;
  readonly blocks: readonly AnthropicBlock[];
  /** The `output_config` of the message, with which the effort changes in the middle of a conversation. */
  readonly settings?: JsonObject | undefined;
}

/** The parts of a body that the rules check. */
export interface AnthropicRequestParts {
  readonly body: JsonObject;
  /** The endpoint of the request. */
  readonly endpoint: AnthropicEndpoint;
  /** Values of the header `anthropic-beta`. */
  readonly betas: readonly string[];
  readonly model: ClaudeModel;
  /** The messages in the order of the body. Text content is one block; empty or missing content is no block. */
  readonly messages: readonly AnthropicTurn[];
  /** Consecutive messages of one role merged. The provider does so before it checks blocks (rule A4). */
  readonly turns: readonly AnthropicTurn[];
}

/** The endpoints that accept messages. `count_tokens` returns no answer, so it has no `max_tokens`. */
export type AnthropicEndpoint = 'messages' | 'count-tokens';

/** Reads a value that may not be a valid body. */
export function anthropicRequestParts(
  body: JsonObject,
  endpoint: AnthropicEndpoint,
  betas: readonly string[],
): AnthropicRequestParts {
  const messages = listIn(body.messages).map((value, index): AnthropicTurn => {
    const message = objectIn(value) ?? {};
    const path = `messages.${index}`;
    const blocks = blocksIn(message.content, `${path}.content`);
    return { path, role: textIn(message.role) ?? '', blocks, settings: objectIn(message.output_config) };
  });
  return { body, endpoint, betas, model: claudeModel(textIn(body.model) ?? ''), messages, turns: merged(messages) };
}

/** Returns all blocks of the type, from all turns. */
export function blocksOf(turns: readonly AnthropicTurn[], type: string): readonly AnthropicBlock[] {
  return turns.flatMap(({ blocks }) => blocks.filter((block) => block.type === type));
}

/** Returns true for thinking, readable or redacted. */
export function isThinking({ type }: { readonly type: string }): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Returns the blocks of a content field. */
export function blocksIn(content: unknown, path: string): readonly AnthropicBlock[] {
  if (typeof content === 'string') {
    return content === '' ? [] : [{ path, type: 'text', value: { type: 'text', text: content } }];
  }
  return listIn(content).map((value, index) => {
    const block = objectIn(value) ?? {};
    return { path: `${path}.${index}`, type: textIn(block.type) ?? '', value: block };
  });
}

/** Rule A4: consecutive messages of one role are one turn. */
function merged(messages: readonly AnthropicTurn[]): readonly AnthropicTurn[] {
  const turns: { path: string; role: string; blocks: AnthropicBlock[] }[] = [];
  for (const { path, role, blocks } of messages) {
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ path, role, blocks: [...blocks] });
  }
  return turns;
}

/** One row of provider-rules A, over the parts of a request. */
export type Rule = (request: AnthropicRequestParts, report: Report) => readonly Violation[];

/** Rules by the row that they cite. */
export type Rules = Readonly<Record<string, Rule>>;
