import { parseEvent } from '@palimpsest/events';
import type { Piece, ResultPiece } from '@palimpsest/llm-adapters/wire';
import { condensation, NoCondensationAvailableError } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import type { Codec, MessageChanges } from '../codecs/codec.js';
import { condensedHistory } from '../condensed-history.js';
import { UnreadMessageError } from '../errors.js';
import { messageDigest } from '../log/digest.js';
import { dirtyMessages } from './dirty-messages.js';

/** Options of {@link codecContract}. */
export interface CodecContractOptions<Message> {
  /** The runner's function that declares a test: `test` of vitest, jest or node:test. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  readonly create: () => Codec<Message>;
  /**
   * Clean conversations, made anew at each call: together they hold text, at least eight steps of calls with results, parallel calls, a failed
   * result, an image, and thinking where the host has it.
   */
  readonly conversations: () => readonly (readonly Message[])[];
  /**
   * Returns the problems for which the host's provider would refuse a list. @defaultValue calls and results are paired
   * as {@link Codec.read} reads them
   */
  readonly problems?: ((messages: readonly Message[]) => readonly string[]) | undefined;
}

/**
 * Declares one test for each promise of the {@link Codec} contract: lossless on the untouched, exact in pairs, and total on dirty
 * lists.
 *
 * @example
 * ```ts
 * codecContract({ test, create: () => chatMessages(), conversations: () => [myConversation()] });
 * ```
 */
export function codecContract<Message>(options: CodecContractOptions<Message>): void {
  const { test, create, conversations, problems } = options;
  const each = (visit: (message: Message, codec: Codec<Message>) => void): void => {
    const codec = create();
    for (const message of conversations().flat()) visit(deepFrozen(message), codec);
  };

  test('reads every message of a clean conversation', async () => {
    const codec = create();
    const kinds = new Set<string>();
    for (const messages of conversations()) {
      for (const message of messages) {
        const before = JSON.stringify(message);
        const host = codec.read(deepFrozen(message));
        const again = codec.read(structuredClone(message));
        assert(JSON.stringify(message) === before, 'read changes the message', message);
        assert(messageDigest(host) === messageDigest(again), 'a copy of a message reads as another message', message);
        for (const piece of host.pieces) kinds.add(piece.type);
      }
    }
    for (const kind of ['content', 'call', 'result'])
      assert(kinds.has(kind), `no conversation has a ${kind}`, [...kinds]);
  });

  test('passes what is untouched through by reference', async () => {
    for (const messages of conversations()) {
      const before = JSON.stringify(messages);
      const history = condensedHistory({ condenser: idle, codec: create(), unknownThinking: 'sent' });
      const fitted = await history.fit(messages);
      if (fitted.problem !== undefined) throw fitted.problem;
      assert(fitted.state === 'untouched', 'the list is not untouched', fitted.messages);
      assert(fitted.messages.length === messages.length, 'a message is lost', fitted.messages);
      messages.forEach((message, index) =>
        assert(fitted.messages[index] === message, 'a message is another object', message),
      );
      assert(JSON.stringify(messages) === before, 'the list of the host is changed', messages);
    }
  });

  test('says truly that its pieces are new', async () => {
    for (const messages of conversations().flatMap((clean) => [clean, dirtyMessages(clean) as readonly Message[]])) {
      const codec = create();
      if (codec.returnsNewPieces !== true) return;
      const history = condensedHistory({ condenser: idle, codec, unknownThinking: 'sent', contextWindow: 1_000_000 });
      const wasFrozen = messages.map((message) => isAnyFrozen(message));
      const { view } = await history.fit(messages);
      messages.forEach((message, index) =>
        assert(wasFrozen[index] === true || !isAnyFrozen(message), 'a part of the host is frozen', message),
      );
      for (const event of view.events) {
        const strict = JSON.stringify(parseEvent(event)) === JSON.stringify(event);
        assert(strict, 'what is read makes no event', event);
      }
    }
  });

  test('returns the same message where no change concerns it', async () => {
    each((message, codec) => {
      const changes: MessageChanges[] = [{}, { calls: new Map([['no such call', 'left-out']]) }];
      if (!piecesOf(codec, message).some(({ type }) => type === 'thinking')) changes.push({ thinking: 'left-out' });
      for (const change of changes) {
        assert(codec.changed(message, change) === message, `changed with ${describe(change)}`, message);
      }
    });
  });

  test('changes the content of a result, and nothing else', async () => {
    let tried = 0;
    each((message, codec) => {
      for (const result of resultsOf(codec, message)) {
        const text = 'What the result said is no longer shown.';
        const results = new Map([[result.toolCallId ?? '', { content: [{ type: 'text', text } as const] }]]);
        const copy = codec.changed(message, { results });
        const changed = copy === undefined ? undefined : resultsOf(codec, copy).find(isOf(result));
        assert(changed !== undefined && textOfResult(changed) === text, 'the result does not read as changed', copy);
        assert(changed.isError === result.isError, 'a failed result has succeeded, or the other way round', copy);
        const others = (one: Message) => piecesOf(codec, one).filter((piece) => !isOf(result)(piece));
        assert(sameDigest(others(message), others(copy as Message)), 'another part is changed', copy);
        tried++;
      }
    });
    assert(tried > 0, 'no conversation has a result', tried);
  });

  test('adds a line to a result, and keeps what it said', async () => {
    each((message, codec) => {
      for (const result of resultsOf(codec, message)) {
        const copy = codec.changed(message, { results: new Map([[result.toolCallId ?? '', { line: '[line]' }]]) });
        const changed = copy === undefined ? undefined : resultsOf(codec, copy).find(isOf(result));
        assert(changed !== undefined && textOfResult(changed).endsWith('[line]'), 'the line is not its last', copy);
        assert(textOfResult(changed).includes(textOfResult(result)), 'what it said is lost', copy);
        const images = (one: ResultPiece) =>
          one.content.filter((piece) => piece.type === 'content' && piece.part.type === 'image');
        assert(images(changed).length === images(result).length, 'an image is lost', copy);
      }
    });
  });

  test('masks the arguments of a call, and leaves a call out', async () => {
    each((message, codec) => {
      const calls = piecesOf(codec, message).flatMap((piece) => (piece.type === 'call' ? [piece] : []));
      for (const call of calls) {
        const id = call.id ?? '';
        const masked = codec.changed(message, { calls: new Map([[id, { arguments: '{"masked":true}' }]]) });
        const read = masked === undefined ? [] : piecesOf(codec, masked);
        const change = read.find((piece) => piece.type === 'call' && piece.id === call.id);
        assert(change?.type === 'call' && change.arguments.includes('masked'), 'the arguments are not masked', masked);
        assert(change.name === call.name && read.length === piecesOf(codec, message).length, 'a part is lost', masked);
        const without = codec.changed(message, { calls: new Map([[id, 'left-out']]) });
        const left = without === undefined ? [] : piecesOf(codec, without);
        assert(
          !left.some((piece) => piece.type === 'call' && piece.id === call.id),
          'the call is still there',
          without,
        );
      }
    });
  });

  test('extracts a call or a result, alone and under another id', async () => {
    each((message, codec) => {
      for (const piece of piecesOf(codec, message)) {
        if (piece.type !== 'call' && piece.type !== 'result') continue;
        const id = (piece.type === 'call' ? piece.id : piece.toolCallId) ?? '';
        const copy = codec.extracted(message, id, 'call_elsewhere');
        const [alone, ...others] = copy === undefined ? [] : piecesOf(codec, copy);
        assert(alone !== undefined && others.length === 0, 'it is not alone', copy);
        const renamed =
          piece.type === 'call' ? { ...piece, id: 'call_elsewhere' } : { ...piece, toolCallId: 'call_elsewhere' };
        assert(sameDigest([alone], [renamed]), 'it reads as another one', copy);
        assert((codec.marks?.(copy as Message) ?? []).length === 0, 'it has a cache mark', copy);
        assert(
          codec.extracted(message, 'no such call', 'call_elsewhere') === undefined,
          'it extracts what is not there',
          message,
        );
      }
    });
  });

  test('sends the newest of two results of a call, with a call of its own', async () => {
    const text = 'It is done now.';
    for (const messages of conversations()) {
      const codec = create();
      const [first] = messages.flatMap((message) => {
        const [result, ...others] = resultsOf(codec, message);
        return result === undefined || others.length > 0 ? [] : [{ message, id: result.toolCallId ?? '' }];
      });
      if (first === undefined) continue;
      const { message, id } = first;
      const alone = codec.extracted(message, id, id);
      const results = new Map([[id, { content: [{ type: 'text', text } as const] }]]);
      const again = alone === undefined ? undefined : codec.changed(alone, { results });
      assert(again !== undefined, 'a result cannot be extracted', message);
      for (const list of [
        [...messages, again],
        [...messages.slice(0, messages.indexOf(message) + 1), again],
      ]) {
        const history = condensedHistory({ condenser: idle, codec, unknownThinking: 'sent' });
        const { messages: sent, problem } = await history.fit(list);
        if (problem !== undefined) throw problem;
        const found = [...pairingProblems(codec, sent), ...(problems?.(sent) ?? [])];
        assert(found.length === 0, found.join('; '), sent);
        const said = sent.flatMap((one) => resultsOf(codec, one)).filter((one) => textOfResult(one) === text);
        assert(said.length === 1, 'the newest result is not sent once', sent);
      }
    }
  });

  test('leaves thinking out, all of it, and nothing else', async () => {
    each((message, codec) => {
      const copy = codec.changed(message, { thinking: 'left-out' });
      if (copy === undefined) {
        const isOnly = piecesOf(codec, message).every(({ type }) => type === 'thinking' || type === 'content');
        assert(isOnly, 'a message with more than thinking is lost', message);
        return;
      }
      assert(!piecesOf(codec, copy).some(({ type }) => type === 'thinking'), 'there is thinking left', copy);
      assert(messageDigest(codec.read(copy)) === messageDigest(codec.read(message)), 'another part is changed', copy);
    });
  });

  test('writes a summary that reads as one text of the user', async () => {
    const codec = create();
    const text = 'The files were read. <b>All</b> of them.';
    const { role, pieces } = codec.read(codec.summary(text));
    const [piece, ...others] = pieces;
    assert(role === 'user' && others.length === 0, 'it is no single text of the user', pieces);
    assert(
      piece?.type === 'content' && piece.part.type === 'text' && piece.part.text === text,
      'the text differs',
      pieces,
    );
  });

  test('forgets calls together with their results, wherever a view may be cut', async () => {
    for (const conversation of conversations()) {
      for (const messages of [conversation, JSON.parse(JSON.stringify(conversation)) as readonly Message[]]) {
        for (let cut = 1; cut <= 12; cut++) {
          const codec = create();
          const condenser = forgetting(cut);
          const history = condensedHistory({ condenser, codec, unknownThinking: 'sent' });
          const fitted = await history.fit(messages);
          if (fitted.problem !== undefined) throw fitted.problem;
          const found = [...pairingProblems(codec, fitted.messages), ...(problems?.(fitted.messages) ?? [])];
          assert(found.length === 0, found.join('; '), fitted.messages);
          const again = await history.fit(structuredClone(messages));
          assert(again.condensations.length === 0, 'a copy of the list is condensed again', again.condensations);
        }
      }
    }
  });

  test('reads a cache mark as no difference, and sets one again', async () => {
    const codec = create();
    const { marks, marked } = codec;
    if (marks === undefined || marked === undefined) return;
    const given = { value: { cache_control: { type: 'ephemeral' } }, lifeMs: 300_000 };
    // A host's own, where a conversation has one: hosts write their marks in different ways.
    const [mark = given] = conversations()
      .flat()
      .flatMap((message) => marks(message));
    let tried = 0;
    for (const message of conversations().flat()) {
      const copy = marked(deepFrozen(message), mark);
      if (copy === undefined) continue;
      tried++;
      assert(
        messageDigest(codec.read(copy)) === messageDigest(codec.read(message)),
        'a mark makes another message',
        copy,
      );
      assert(marks(copy).length > marks(message).length, 'the mark is not found', copy);
    }
    assert(tried > 0, 'no message can carry a mark', tried);
  });

  test('never throws, whatever the list holds', async () => {
    const codec = create();
    const dirty = dirtyMessages(conversations().flat());
    for (const message of dirty) {
      const host = codec.read(message);
      const ids = host.pieces.flatMap((piece) => (piece.type === 'call' ? [piece.id ?? ''] : []));
      const changes: MessageChanges[] = [
        { thinking: 'left-out' },
        { words: 'left-out' },
        { words: [{ type: 'text', text: 'Other words.' }] },
        { calls: new Map([...ids, ''].map((id) => [id, { arguments: 'no JSON' }])) },
        { results: new Map([['', { line: 'line', content: [] }]]) },
      ];
      if (host.role !== undefined) for (const change of changes) codec.changed(message as Message, change);
    }
    for (const condenser of [idle, forgetting(2)]) {
      const history = condensedHistory({ condenser, codec, unknownThinking: 'sent' });
      const fitted = await history.fit(dirty as readonly Message[]);
      if (fitted.problem !== undefined && !UnreadMessageError.isInstance(fitted.problem)) throw fitted.problem;
      const ids = (dirty as readonly Message[]).flatMap((one) =>
        resultsOf(codec, one).map(({ toolCallId }) => toolCallId),
      );
      const hasSecondResults = new Set(ids).size < ids.length;
      if (condenser === idle && !hasSecondResults)
        assert(fitted.state === 'untouched', 'a dirty list is changed', fitted.messages);
    }
  });
}

const idle: Condenser = { name: 'idle', condense: (view) => view };

/** Forgets the units between two cut points near the start, once, and puts a summary in their place. */
function forgetting(cut: number): Condenser {
  return {
    name: 'forgetting',
    condense: (view) => {
      if (view.condensations.length > 0) return view;
      const cuts = [...view.cutPoints];
      const [start, end] = [cuts[1 + (cut % 3)], cuts[cut + 4]];
      if (start === undefined || end === undefined) return view;
      try {
        return condensation({ view, start, end, summary: 'Some steps were taken.' });
      } catch (error) {
        if (NoCondensationAvailableError.isInstance(error)) return view;
        throw error;
      }
    },
  };
}

function pairingProblems<Message>(codec: Codec<Message>, messages: readonly Message[]): readonly string[] {
  const open = new Map<string, number>();
  const found: string[] = [];
  for (const piece of messages.flatMap((message) => piecesOf(codec, message))) {
    if (piece.type === 'call') {
      if (open.has(piece.id ?? '')) found.push(`two calls of one id: ${piece.id ?? 'no id'}`);
      open.set(piece.id ?? '', (open.get(piece.id ?? '') ?? 0) + 1);
    } else if (piece.type === 'result') {
      const waiting = open.get(piece.toolCallId ?? '') ?? 0;
      if (waiting === 0) found.push(`a result without its call: ${piece.toolCallId ?? 'no id'}`);
      else open.set(piece.toolCallId ?? '', waiting - 1);
    }
  }
  for (const [id, count] of open) if (count > 0) found.push(`a call without its result: ${id}`);
  return found;
}

function piecesOf<Message>(codec: Codec<Message>, message: Message): readonly Piece[] {
  return codec.read(message).pieces;
}

function resultsOf<Message>(codec: Codec<Message>, message: Message): readonly ResultPiece[] {
  return piecesOf(codec, message).flatMap((piece) => (piece.type === 'result' ? [piece] : []));
}

function isOf(result: ResultPiece): (piece: Piece) => boolean {
  return (piece) => piece.type === 'result' && piece.toolCallId === result.toolCallId;
}

function textOfResult({ content }: ResultPiece): string {
  return content
    .map((piece) => (piece.type === 'content' && piece.part.type === 'text' ? piece.part.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}

function sameDigest(one: readonly Piece[], other: readonly Piece[]): boolean {
  return messageDigest({ pieces: one }) === messageDigest({ pieces: other });
}

function assert(holds: boolean, problem: string, value: unknown): asserts holds {
  if (!holds) throw new Error(`${problem}: ${describe(value)}`);
}

function describe(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 1_000);
  } catch {
    return String(value);
  }
}

/** Returns true if a value, or an object in it, is frozen. */
function isAnyFrozen(value: unknown, inside: readonly object[] = []): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || inside.includes(value)) return false;
  return Object.isFrozen(value) || Object.values(value).some((inner) => isAnyFrozen(inner, [...inside, value]));
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value) && !ArrayBuffer.isView(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFrozen(inner);
  }
  return value;
}
