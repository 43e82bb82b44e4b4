import { listIn, objectIn, textIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';
import { anthropicRequestParts, blocksIn, isThinking } from './request-parts.js';

/** One tool, one block of the system prompt or one block of a message, in the order in which the model reads them. */
export interface PromptPiece {
  readonly section: 'tools' | 'system' | 'messages';
  readonly path: string;
  /** Which turn, neighbours of one role being one; -1 outside of the messages. */
  readonly turn: number;
  readonly role: string;
  readonly type: string;
  readonly value: JsonObject;
  /** What the model is shown: equal for two requests exactly when they say the same here. Marks of the cache are not in it. */
  readonly text: string;
  /** The servers' stated measure: characters of JSON a quarter of which are tokens; of thinking, those of its text. */
  readonly characters: number;
}

/** The servers' stated measure. */
export const charactersPerToken = 4;

/** The prompt of a request in pieces: tools, system, messages. */
export function promptPieces(body: JsonObject): readonly PromptPiece[] {
  const { turns } = anthropicRequestParts(body, 'messages', []);
  return [
    ...listIn(body.tools).map((tool, index) => piece('tools', `tools.${index}`, objectIn(tool) ?? {})),
    ...blocksIn(body.system, 'system').map(({ path, value }) => piece('system', path, value)),
    ...turns.flatMap(({ role, blocks }, turn) =>
      blocks.map(({ path, value }) => piece('messages', path, value, turn, role)),
    ),
  ];
}

/** Characters of all pieces, as tokens. */
export function tokensOfPieces(pieces: readonly PromptPiece[]): number {
  return Math.ceil(pieces.reduce((sum, { characters }) => sum + characters, 0) / charactersPerToken);
}

function piece(section: PromptPiece['section'], path: string, value: JsonObject, turn = -1, role = ''): PromptPiece {
  const type = textIn(value.type) ?? '';
  const text = `${role}:${rendered(value)}`;
  const characters = isThinking({ type }) ? (textIn(value.thinking) ?? '').length : text.length;
  return { section, path, turn, role, type, value, text, characters };
}

/**
 * JSON in which two ways to write one block are one: the order of a block's own keys, fields that are null, text and a list of
 * one text, an `is_error` that is false. What a tool takes, a call says and a schema holds stays as it was sent, in its order.
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
