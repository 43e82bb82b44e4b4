import { field, listOf, textOf } from '@palimpsest/messages';
import type { HostRequest, HostSession, Recalled } from '@palimpsest/plugin-kit';
import type { PiMessage } from './codec/pi-message.js';
import { readMessage } from './codec/read-message.js';
import type { Piece } from './codec/read-message.js';
import { beforeCompaction, idOf, isOfConversation, keptFrom, messagesIn } from './session-entries.js';

/** The text that pi puts in the place of the messages before an entry. */
export interface PiCompaction {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
}

/** A summary that would be longer is left to pi. Unit: characters. */
const longestSummary = 100_000;
/** The newest steps that stay as they are, at four characters a token about 5,000 tokens. Unit: characters. */
const mostKept = 20_000;
/** pi keeps so much itself. Where the user wants another size, it is theirs. Unit: tokens. */
const keptByPi = 20_000;
/** Of each text that stands in the summary. Unit: characters. */
const longest = { words: 20_000, answer: 2_000, call: 300, result: 400 };

/** Condensation of what a compaction of pi takes out of its list: as a summary when it happens, and for `recall` afterwards. */
export class Earlier {
  readonly #newSession: () => HostSession<PiMessage>;
  /** The list that was read last, as long as the same compaction is the newest. */
  #read: { readonly entries: number; readonly session: HostSession<PiMessage> } | undefined;

  /** @param newSession - makes a session for a list that is not sent */
  constructor(newSession: () => HostSession<PiMessage>) {
    this.#newSession = newSession;
  }

  /**
   * Returns the view that condensation makes of what pi is about to summarise, as text: the digest, and behind it what it leaves. No model is
   * asked. Undefined if it would be too long, or if pi asks in a form that is not known.
   */
  async compaction(event: Readonly<Record<string, unknown>>, request: HostRequest): Promise<PiCompaction | undefined> {
    const asked = compactionAsked(event);
    if (asked === undefined || asked.messages.length === 0) return undefined;
    const { messages, firstKeptEntryId, tokensBefore } = asked;
    const focus = textOf(event['customInstructions']);
    const view = await this.#newSession().fit(messages, { ...request, condense: 'now', focus });
    const summary = view
      .map(textOfMessage)
      .filter((text) => text !== '')
      .join('\n\n')
      // In another list an address is another text's. A path and words find what they found.
      .replaceAll(/ \(address [0-9a-z]{8}\)/g, '');
    return summary.length > longestSummary ? undefined : { summary, firstKeptEntryId, tokensBefore };
  }

  /** Answers `recall` for what stood before the newest compaction. Undefined without one, and if nothing is found. */
  async recall(input: unknown, branch: readonly unknown[], request: HostRequest): Promise<Recalled | undefined> {
    const entries = beforeCompaction(branch);
    if (entries.length === 0 || textOf(field(input, 'address')) !== undefined) return undefined;
    if (this.#read?.entries !== entries.length) {
      const session = this.#newSession();
      await session.fit(messagesIn(entries), { ...request, condense: 'now' });
      this.#read = { entries: entries.length, session };
    }
    const found = await this.#read.session.recall(input);
    const isNothing = found.content.some((part) => part.type === 'text' && String(part.text).startsWith('Nothing'));
    return found.isError || isNothing ? undefined : found;
  }
}

/** Returns the messages that pi wants summed up, with the steps that it would keep beyond the newest. */
function compactionAsked(event: Readonly<Record<string, unknown>>) {
  const { preparation } = event;
  const firstKept = textOf(field(preparation, 'firstKeptEntryId'));
  const tokensBefore = field(preparation, 'tokensBefore');
  if (firstKept === undefined || typeof tokensBefore !== 'number') return undefined;
  const summary = textOf(field(preparation, 'previousSummary'));
  const entries = listOf(event['branchEntries']);
  const from = entries.findIndex((entry) => idOf(entry) === firstKept);
  const isOfUser = field(field(preparation, 'settings'), 'keepRecentTokens') !== keptByPi;
  const kept = from === -1 || isOfUser ? from : keptFrom(entries, from, mostKept);
  const earlier = { role: 'compactionSummary', summary };
  const messages: readonly PiMessage[] = [
    ...(summary === undefined ? [] : [earlier]),
    ...listOf(field(preparation, 'messagesToSummarize')).filter(isOfConversation),
    ...listOf(field(preparation, 'turnPrefixMessages')).filter(isOfConversation),
    ...messagesIn(kept === -1 ? [] : entries.slice(from, kept)),
  ];
  return { messages, firstKeptEntryId: idOf(entries[kept]) ?? firstKept, tokensBefore };
}

function textOfMessage(message: PiMessage): string {
  const { role, pieces } = readMessage(message);
  if (message.role === 'compactionSummary' || isDigest(message)) return wordsIn(pieces);
  const name = role === 'assistant' ? 'Assistant' : message.role === 'user' ? 'User' : 'Environment';
  return pieces
    .map((piece) => textOfPiece(piece, name))
    .filter((text) => text !== '')
    .join('\n');
}

/** A message of ours has no time. */
function isDigest(message: PiMessage): boolean {
  return message.role === 'user' && field(message, 'timestamp') === 0;
}

function textOfPiece(piece: Piece, name: string): string {
  switch (piece.type) {
    case 'content': {
      const text = piece.part.type === 'text' ? piece.part.text : '(an image)';
      return `[${name}] ${cut(text, name === 'Assistant' ? longest.answer : longest.words)}`;
    }
    case 'call':
      return `[Call] ${piece.name ?? 'a tool'} ${cut(piece.arguments, longest.call)}`;
    case 'result':
      return `[${piece.isError ? 'Failed' : 'Result'}] ${cut(wordsIn(piece.content), longest.result)}`;
    default:
      return '';
  }
}

function wordsIn(pieces: readonly Piece[]): string {
  return pieces
    .flatMap((piece) => {
      if (piece.type !== 'content') return [];
      return piece.part.type === 'text' ? [piece.part.text] : ['(an image)'];
    })
    .join('\n');
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)} (… ${text.length - most} characters more)`;
}
