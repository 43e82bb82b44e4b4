import { takenApart } from '@palimpsest/messages';
import type { HostSession, HostSessions } from '@palimpsest/plugin-kit';
import { modelOf } from './facts.js';
import type { Facts } from './facts.js';
import type { Piece } from './list/apart.js';
import { isHostList } from './list/host.js';
import type { HostInfo, HostMessage, HostTokens } from './list/host.js';
import { jointsOf } from './list/joined.js';

/** The newest request of a session. */
interface Newest {
  /** The last message of its list. */
  readonly lastId: string;
  readonly fixedTokens: number | undefined;
}

/** The conversations of opencode, as its hooks tell of them. */
export class Conversations {
  readonly #sessions: HostSessions<Piece>;
  readonly #facts: () => Promise<Facts>;
  readonly #newest = new Map<string, Newest>();
  readonly #compacting = new Set<string>();
  /** The user's `compaction.reserved`. Unit: tokens. */
  reserved: number | undefined;

  /** @param facts - never rejects */
  constructor(sessions: HostSessions<Piece>, facts: () => Promise<Facts>) {
    this.#sessions = sessions;
    this.#facts = facts;
  }

  session(id: string): HostSession<Piece> {
    return this.#sessions.of(id);
  }

  /** The next list of a session is the text that opencode's own compaction sums up. */
  compacting(sessionID: string): void {
    this.#compacting.add(sessionID);
  }

  /** Changes a list that opencode is about to send, in place: to what is sent in its stead, or not at all. Returns its session. */
  async fit(list: unknown): Promise<{ readonly sessionID: string; readonly session: HostSession<Piece> } | undefined> {
    if (!isHostList(list)) return undefined;
    const { sessionID } = (list[0] as HostMessage).info;
    const asked = list.findLast(({ info }) => info.role === 'user')?.info;
    if (asked === undefined) return undefined;
    const session = this.session(sessionID);
    const facts = await this.#facts();
    const request = modelOf(asked, facts, this.reserved);
    const isAside = this.#compacting.delete(sessionID);
    if (isAside && isSmall(list, request.model.contextWindow)) return undefined;
    if (!isAside) await this.#used(session, list);
    const fixedTokens = fixedTokensOf(list) ?? this.#newest.get(sessionID)?.fixedTokens;
    const { pieces, together } = takenApart(list, jointsOf(list));
    const sent = await session.fit(pieces, {
      ...request,
      fixedTokens,
      hasRecall: !facts.withoutRecall.has(asked.agent ?? ''),
      isAside,
      ...(isAside ? { condense: false } : {}),
    });
    if (!isAside) this.#newest.set(sessionID, { lastId: (list.at(-1) as HostMessage).info.id, fixedTokens });
    if (sent !== pieces) list.splice(0, list.length, ...together(sent));
    return isAside ? undefined : { sessionID, session };
  }

  /** The first answer behind the list of the newest request is its answer, and says what the provider counted. */
  async #used(session: HostSession<Piece>, list: readonly HostMessage[]): Promise<void> {
    const { sessionID } = (list[0] as HostMessage).info;
    const { lastId } = this.#newest.get(sessionID) ?? {};
    const last = list.findIndex(({ info }) => info.id === lastId);
    if (last === -1) return;
    const answer = list.slice(last + 1).find(({ info }) => info.role === 'assistant' && info.summary !== true);
    const { tokens } = answer?.info ?? {};
    if (tokens === undefined || inputOf(tokens) === 0) return;
    this.#newest.delete(sessionID);
    await session.used({
      input_tokens: tokens.input,
      cache_read_input_tokens: tokens.cache.read,
      cache_creation_input_tokens: tokens.cache.write,
      output_tokens: tokens.output + tokens.reasoning,
    });
  }
}

function inputOf({ input, cache }: HostTokens): number {
  return input + cache.read + cache.write;
}

/**
 * Returns what opencode sends beside the messages, its instructions and tools: what the provider counted for the first answer, less what stands
 * before it. Undefined where the beginning of the session is not in the list. Unit: tokens.
 */
function fixedTokensOf(list: readonly HostMessage[]): number | undefined {
  const first = list.findIndex(({ info }) => info.role === 'assistant');
  const { tokens, summary } = list[first]?.info ?? ({} as Partial<HostInfo>);
  if (tokens === undefined || summary === true || inputOf(tokens) === 0) return undefined;
  if (list.slice(0, first).some(({ parts }) => parts.some(({ type }) => type === 'compaction'))) return undefined;
  const words = list.slice(0, first).flatMap(({ parts }) => parts.flatMap(({ text = '' }) => text));
  return Math.max(0, inputOf(tokens) - Math.ceil(words.join('').length / charactersPerToken));
}

/** The usual size of a token in text. Unit: characters. */
const charactersPerToken = 4;

/** opencode shows its summariser so much of each result. Unit: characters. */
const shownOfResult = 2_000;
/** Up to this share of its window a list is summed up whole: then no summary is made of a summary. */
const smallShare = 0.6;

function isSmall(list: readonly HostMessage[], window: number | undefined): boolean {
  if (window === undefined) return true;
  const characters = list
    .flatMap(({ parts }) => parts)
    .reduce((sum, { text = '', state }) => {
      const output = Math.min(shownOfResult, (state?.output ?? state?.error ?? '').length);
      return sum + text.length + output + (JSON.stringify(state?.input)?.length ?? 0);
    }, 0);
  return characters / charactersPerToken < window * smallShare;
}
