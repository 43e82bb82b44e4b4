import type { CacheMarking } from '../cache-marking.js';
import { objectIn, textIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';
import { claudeModel } from './claude-model.js';
import { charactersPerToken } from './prompt-pieces.js';
import type { PromptPiece } from './prompt-pieces.js';
import { blocksIn, isThinking } from './request-parts.js';

type TimeToLive = '5m' | '1h';

/** What the cache does for one request. Unit: tokens. */
export interface CacheUse {
  readonly read: number;
  readonly written: Readonly<Record<TimeToLive, number>>;
  /** What is neither read nor written. */
  readonly uncached: number;
  /** Makes what was written readable: called when the answer begins. */
  commit(): void;
}

/** A prompt cache. */
export interface PromptCache {
  /** The pieces of the prompt as they are billed; `scope` is whoever shares a cache: an API key. */
  use(body: JsonObject, pieces: readonly PromptPiece[], scope: string): CacheUse;
}

const minute = 60_000;
const lives: Readonly<Record<TimeToLive, number>> = { '5m': 5 * minute, '1h': 60 * minute };
const lookBack = 20;

/**
 * The provider's prompt cache over the rendered prompt: tools, then system, then messages.
 *
 * A prefix is written where a block is marked, if it is as long as the model's minimum; a mark reads the longest prefix
 * written at it or at one of the 19 positions before it, a run of calls or of results being one position. What is read lives
 * on for its time from then; what is written can be read once the answer to it has begun. The model is part of every prefix;
 * `speed` of what comes after the tools; `tool_choice`, thinking on or off, and whether there is an image of the messages.
 *
 * @see provider-rules A.7
 */
export function promptCache(
  digest: (text: string) => string,
  now: () => Date,
  marking: CacheMarking = 'as-sent',
): PromptCache {
  const entries = new Map<string, { readonly life: number; readonly until: number }>();

  const isWarm = (key: string) => (entries.get(key)?.until ?? 0) > now().getTime();

  return {
    use: (body, pieces, scope) => {
      const keys = keysOf(body, pieces, scope, digest);
      const positions = positionsOf(pieces);
      const ends = endsOf(pieces);
      const tokensTo = (at: number) => ends[at] ?? 0;
      const { cacheMinimumTokens } = claudeModel(textIn(body.model) ?? '');
      const wanted = marking === 'everywhere' ? marksEverywhere(pieces) : marksOf(body, pieces);
      const marks = wanted.filter(({ at }) => tokensTo(at) >= cacheMinimumTokens);

      let hit = -1;
      for (const { at } of marks) {
        const reach = marking === 'everywhere' ? -1 : (positions[at] ?? 0) - lookBack;
        for (let index = at; index > hit && (positions[index] ?? 0) > reach; index--) {
          if (isWarm(keys[index] ?? '')) hit = index;
        }
      }
      const read = hit === -1 ? 0 : tokensTo(hit);

      const written = { '5m': 0, '1h': 0 };
      let cached = read;
      for (const { at, ttl } of marks) {
        const tokens = tokensTo(at);
        if (tokens <= cached) continue;
        written[ttl] += tokens - cached;
        cached = tokens;
      }
      const commit = () => {
        const time = now().getTime();
        const touched = marks.map(({ at, ttl }) => ({ key: keys[at] ?? '', life: lives[ttl] }));
        const hitKey = keys[hit];
        if (hitKey !== undefined) touched.push({ key: hitKey, life: entries.get(hitKey)?.life ?? 0 });
        for (const { key, life } of touched) {
          const own = isWarm(key) ? (entries.get(key)?.life ?? life) : life;
          entries.set(key, { life: own, until: time + own });
        }
      };
      return { read, written, uncached: tokensTo(pieces.length - 1) - cached, commit };
    },
  };
}

/** The size of the prefix up to and with each piece. Unit: tokens. */
function endsOf(pieces: readonly PromptPiece[]): readonly number[] {
  let characters = 0;
  return pieces.map((piece) => {
    characters += piece.characters;
    return Math.ceil(characters / charactersPerToken);
  });
}

/** One key for the prefix up to and with each piece. */
function keysOf(
  body: JsonObject,
  pieces: readonly PromptPiece[],
  scope: string,
  digest: (text: string) => string,
): readonly string[] {
  const thinking = textIn(objectIn(body.thinking)?.type) ?? 'disabled';
  const hasImages = pieces.some(({ type, value }) =>
    [type, ...blocksIn(value.content, '').map((part) => part.type)].includes('image'),
  );
  const settings = {
    tools: [scope, body.model],
    system: [body.speed ?? 'standard'],
    messages: [body.tool_choice ?? { type: 'auto' }, thinking !== 'disabled', hasImages],
  };
  let key = '';
  let section: PromptPiece['section'] | undefined;
  const order = ['tools', 'system', 'messages'] as const;
  return pieces.map((piece) => {
    const entered = order.slice(
      section === undefined ? 0 : order.indexOf(section) + 1,
      order.indexOf(piece.section) + 1,
    );
    for (const next of entered) key = digest(key + JSON.stringify(settings[next]));
    section = piece.section;
    key = digest(key + piece.text);
    return key;
  });
}

/** A run of calls, or of results, is one position. */
function positionsOf(pieces: readonly PromptPiece[]): readonly number[] {
  let position = -1;
  return pieces.map(({ type, turn }, index) => {
    const before = pieces[index - 1];
    const goesOn = (type === 'tool_use' || type === 'tool_result') && before?.type === type && before.turn === turn;
    if (!goesOn) position += 1;
    return position;
  });
}

function marksEverywhere(pieces: readonly PromptPiece[]): readonly { readonly at: number; readonly ttl: TimeToLive }[] {
  return pieces.flatMap((piece, at) => (isThinking(piece) ? [] : [{ at, ttl: '5m' as const }]));
}

/** The marked pieces in order, a mark within a result being on the result; the automatic one is on the last that can be marked. */
function marksOf(
  body: JsonObject,
  pieces: readonly PromptPiece[],
): readonly { readonly at: number; readonly ttl: TimeToLive }[] {
  const automatic = objectIn(body.cache_control);
  const last = pieces.findLastIndex((piece) => !isThinking(piece));
  return pieces.flatMap((piece, at) => {
    const parts = piece.type === 'tool_result' ? blocksIn(piece.value.content, '') : [];
    const own = [piece.value, ...parts.map(({ value }) => value)].find((value) => objectIn(value.cache_control));
    const control = objectIn(own?.cache_control) ?? (at === last ? automatic : undefined);
    return control === undefined ? [] : [{ at, ttl: control.ttl === '1h' ? '1h' : '5m' }];
  });
}
