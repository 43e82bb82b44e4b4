import { listIn, objectIn, textIn } from './wire-json.js';
import type { JsonObject } from './wire-json.js';

/** One block of a message, with its place in the body. */
export interface AnthropicBlock {
  readonly path: string;
  readonly type: string;
  readonly value: JsonObject;
}

/** One message of the body; or neighbours of one role taken together, with the first one's place. */
export interface AnthropicTurn {
  readonly path: string;
  readonly role: string;
  readonly blocks: readonly AnthropicBlock[];
}

/** A body in the parts that the rules are about. */
export interface AnthropicRequestParts {
  readonly body: JsonObject;
  readonly model: string;
  /** As they stand in the body. Content that is text is one block; empty or no content is no block. */
  readonly messages: readonly AnthropicTurn[];
  /** Neighbours of one role merged, as the provider does before it looks at blocks (rule A4). */
  readonly turns: readonly AnthropicTurn[];
}

/** Reads a body that need not be one. */
export function anthropicRequestParts(body: JsonObject): AnthropicRequestParts {
  const messages = listIn(body.messages).map((value, index): AnthropicTurn => {
    const message = objectIn(value) ?? {};
    const path = `messages.${index}`;
    return { path, role: textIn(message.role) ?? '', blocks: blocksIn(message.content, `${path}.content`) };
  });
  return { body, model: textIn(body.model) ?? '', messages, turns: merged(messages) };
}

/** The blocks of a content field. */
export function blocksIn(content: unknown, path: string): readonly AnthropicBlock[] {
  if (typeof content === 'string') {
    return content === '' ? [] : [{ path, type: 'text', value: { type: 'text', text: content } }];
  }
  return listIn(content).map((value, index) => {
    const block = objectIn(value) ?? {};
    return { path: `${path}.${index}`, type: textIn(block.type) ?? '', value: block };
  });
}

/** Rule A4: neighbours of one role are one turn. */
function merged(messages: readonly AnthropicTurn[]): readonly AnthropicTurn[] {
  const turns: AnthropicTurn[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === message.role) turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...message.blocks] };
    else turns.push(message);
  }
  return turns;
}

/** The generation as one number, 4.8 as 4.08; undefined for a model that cannot be placed. */
export function claudeGeneration(model: string): number | undefined {
  const now = /claude-[a-z]+-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(model);
  const before = /claude-(\d)(?:-(\d))?-[a-z]/.exec(model);
  const match = now ?? before;
  return match === null ? undefined : Number(match[1]) + Number(match[2] ?? 0) / 100;
}
