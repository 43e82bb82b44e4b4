import { listIn, objectIn, textIn } from '../../rules/wire/wire-json.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';
import { anthropicRequestParts, blocksIn, isThinking } from '../../rules/anthropic/parts.js';

/** One tool, one block of the system prompt or one block of a message, in the order in which the model reads them. */
export interface PromptPiece {
  readonly section: 'tools' | 'system' | 'messages';
  readonly path: string;
  /** The index of the turn; consecutive messages of one role are one turn. -1 outside of the messages. */
  readonly turn: number;
  readonly role: string;
  readonly type: string;
  readonly value: JsonObject;
  /** The rendered text for the model. Two pieces have the same text exactly if they are equivalent. Excludes cache marks. */
  readonly text: string;
  /** Characters of the JSON, or of the text for thinking. Four characters are one token. */
  readonly characters: number;
}

/** The servers' documented measure: four characters per token. */
export const charactersPerToken = 4;

/**
 * The text of frozen blocks, which the adapter shares among the requests of a conversation. With the role, so that it is one string
 * whose hash is known when a cache looks for it.
 */
const renderedBefore = new WeakMap<JsonObject, { readonly role: string; readonly text: string }>();

/** Returns the prompt of a request in pieces: tools, system, messages. A tool with `defer_loading` is no part of it. */
export function promptPieces(body: JsonObject): readonly PromptPiece[] {
  const { turns } = anthropicRequestParts(body, 'messages', []);
  return [
    ...listIn(body.tools).flatMap((value, index) => {
      const tool = objectIn(value) ?? {};
      return tool.defer_loading === true ? [] : [piece('tools', `tools.${index}`, tool)];
    }),
    ...blocksIn(body.system, 'system').map(({ path, value }) => piece('system', path, value)),
    ...turns.flatMap(({ role, blocks }, turn) =>
      blocks.map(({ path, value }) => piece('messages', path, value, turn, role)),
    ),
  ];
}

/** Returns the tokens of all pieces. */
export function tokensOfPieces(pieces: readonly PromptPiece[]): number {
  return Math.ceil(pieces.reduce((sum, { characters }) => sum + characters, 0) / charactersPerToken);
}

function piece(section: PromptPiece['section'], path: string, value: JsonObject, turn = -1, role = ''): PromptPiece {
  const type = textIn(value.type) ?? '';
  const text = textOnce(value, role);
  const characters = isThinking({ type }) ? (textIn(value.thinking) ?? '').length : text.length;
  return { section, path, turn, role, type, value, text, characters };
}

function textOnce(value: JsonObject, role: string): string {
  const before = renderedBefore.get(value);
  if (before?.role === role) return before.text;
  const text = `${role}:${rendered(value)}`;
  if (isDeepFrozen(value)) renderedBefore.set(value, { role, text });
  return text;
}

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

/**
 * Canonical JSON of a block. Equivalent are: any order of the block's own keys, null and missing fields, text and a list with
 * one text, `is_error: false` and no `is_error`. The schemas of tools and the inputs of calls stay as sent, in their order.
 */
function rendered(value: JsonObject): string {
  const fields = Object.entries(value)
    .filter(([key, field]) => key !== 'cache_control' && field !== null && field !== undefined)
    .filter(([key, field]) => !(key === 'is_error' && field === false))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => {
      const json =
        key === 'content'
          ? `[${blocksIn(field, '')
              .map((block) => rendered(block.value))
              .join(',')}]`
          : JSON.stringify(field);
      return `${JSON.stringify(key)}:${json}`;
    });
  return `{${fields.join(',')}}`;
}
