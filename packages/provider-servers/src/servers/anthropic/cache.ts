import { promptPieces, charactersPerToken } from './prompt-pieces.js';
import type { CacheMarking, CachedPrompt, SimulatedPromptCache } from '../cached-prompt.js';
import { objectIn, textIn } from '../../rules/wire/wire-json.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';
import { claudeModel } from '../../rules/anthropic/model.js';
import type { PromptPiece } from './prompt-pieces.js';
import { blocksIn, isThinking } from '../../rules/anthropic/parts.js';

/** Options of {@link anthropicPromptCache}. */
export interface AnthropicPromptCacheOptions {
  /** The clock. @defaultValue the system clock */
  readonly now?: () => Date;
  /** @defaultValue `as-sent` */
  readonly marks?: CacheMarking;
}

/**
 * Returns the prompt cache of {@link anthropicServer} without the server: computes what each body reads and writes, given the
 * earlier bodies. With `marks: 'everywhere'` the same bodies have their lowest possible cost. The difference is what better
 * marks could save.
 */
export async function anthropicPromptCache(options: AnthropicPromptCacheOptions = {}): Promise<SimulatedPromptCache> {
  const cache = promptCache(options.now ?? (() => new Date()), options.marks);
  return {
    use: (body): CachedPrompt => {
      const json = objectIn(body) ?? {};
      const { read, written, uncached, commit } = cache.use(json, promptPieces(json), 'one key');
      commit();
      return { read, written: written['5m'] + written['1h'], uncached };
    },
  };
}

type TimeToLive = '5m' | '1h';

/** The effect of the cache on one request. Unit: tokens. */
export interface CacheUse {
  readonly read: number;
  readonly written: Readonly<Record<TimeToLive, number>>;
  /** Tokens that are neither read nor written. */
  readonly uncached: number;
  /** Makes the written prefixes readable. Called when the answer begins. */
  commit(): void;
}

/** A prompt cache. */
export interface PromptCache {
  /** Bills the pieces of a prompt. Requests with the same `scope` (an API key) share a cache. */
  use(body: JsonObject, pieces: readonly PromptPiece[], scope: string): CacheUse;
}

const minute = 60_000;
const lives: Readonly<Record<TimeToLive, number>> = { '5m': 5 * minute, '1h': 60 * minute };
const lookBack = 20;

/**
 * Returns the provider's prompt cache over the rendered prompt: tools, then system, then messages.
 *
 * A marked block writes its prefix if the prefix has the model's minimum length. A mark reads the longest prefix written at its
 * position or at one of the 19 previous positions. A run of calls or of results is one position. A read renews the lifetime of a
 * prefix. A written prefix can be read once the answer to its request has begun. Every prefix depends on the model. After the
 * tools it also depends on `speed`, in the messages also on `tool_choice`, thinking on or off, and whether there is an image.
 *
 * @see provider-rules A.7
 */
export function promptCache(now: () => Date, marking: CacheMarking = 'as-sent'): PromptCache {
  const root = newPrefix();

  return {
    use: (body, pieces, scope) => {
      const time = now().getTime();
      const prefixes = prefixesOf(root, body, pieces, scope);
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
          if ((prefixes[index]?.until ?? 0) > time) hit = index;
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
        const touched = marks.map(({ at, ttl }) => ({ prefix: prefixes[at], life: lives[ttl] }));
        touched.push({ prefix: prefixes[hit], life: prefixes[hit]?.life ?? 0 });
        for (const { prefix, life } of touched) {
          if (prefix === undefined) continue;
          if (prefix.until <= time) prefix.life = life;
          prefix.until = time + prefix.life;
        }
      };
      return { read, written, uncached: tokensTo(pieces.length - 1) - cached, commit };
    },
  };
}

/** A beginning of prompts, up to the end of one text. */
interface Prefix {
  /** The longer beginnings, by the text that follows. */
  readonly next: Map<string, Prefix>;
  /** The lifetime of what was written last. Unit: milliseconds. */
  life: number;
  /** The time at which what was written expires. 0: nothing was written. */
  until: number;
}

function newPrefix(): Prefix {
  return { next: new Map(), life: 0, until: 0 };
}

function longer({ next }: Prefix, text: string): Prefix {
  let found = next.get(text);
  if (found === undefined) next.set(text, (found = newPrefix()));
  return found;
}

/** Returns the size of the prefix that ends with each piece. Unit: tokens. */
function endsOf(pieces: readonly PromptPiece[]): readonly number[] {
  let characters = 0;
  return pieces.map((piece) => {
    characters += piece.characters;
    return Math.ceil(characters / charactersPerToken);
  });
}

/** Returns the prefix that ends with each piece. */
function prefixesOf(root: Prefix, body: JsonObject, pieces: readonly PromptPiece[], scope: string): readonly Prefix[] {
  const thinking = textIn(objectIn(body.thinking)?.type) ?? 'disabled';
  const hasImages = pieces.some(({ type, value }) =>
    [type, ...blocksIn(value.content, '').map((part) => part.type)].includes('image'),
  );
  const settings = {
    tools: [scope, body.model],
    system: [body.speed ?? 'standard'],
    messages: [body.tool_choice ?? { type: 'auto' }, thinking !== 'disabled', hasImages],
  };
  let prefix = root;
  let section: PromptPiece['section'] | undefined;
  const order = ['tools', 'system', 'messages'] as const;
  return pieces.map((piece) => {
    const entered = order.slice(
      section === undefined ? 0 : order.indexOf(section) + 1,
      order.indexOf(piece.section) + 1,
    );
    for (const next of entered) prefix = longer(prefix, JSON.stringify(settings[next]));
    section = piece.section;
    prefix = longer(prefix, piece.text);
    return prefix;
  });
}

/** Returns the positions: a run of calls, or of results, is one. */
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

/**
 * Returns the marked pieces in order. A mark in a result marks the result. The automatic mark is on the last piece that can have
 * one.
 */
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
