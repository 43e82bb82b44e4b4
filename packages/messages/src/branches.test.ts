import { noOpCondenser } from '@palimpsest/condensers';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { anthropicMessages, chatMessages, condensedHistory, responsesItems } from './index.js';
import type { Codec, CondensedHistoryOptions, FitOptions } from './index.js';

// A branch takes over what was made of the list before it. It has to be what a history makes that knows nothing.

const condenser = noOpCondenser();
const user = (content: string) => ({ role: 'user', content });

async function fitsOf(codec: Codec<never>, lists: readonly (readonly object[])[], options: FitOptions = {}) {
  const made: CondensedHistoryOptions<never> = { condenser, codec };
  const history = condensedHistory(made);
  const fits = [];
  for (const list of lists) fits.push(await history.fit(list as never[], { conversationId: 'one', ...options }));
  return fits;
}

/** Fits the last of some lists after the others, and alone. */
async function bothWays(codec: Codec<never>, lists: readonly (readonly object[])[]) {
  const [known, alone] = [(await fitsOf(codec, lists)).at(-1), (await fitsOf(codec, lists.slice(-1)))[0]];
  return [known, alone].map((fit) => ({
    events: fit?.view.events.map(({ timestamp: _, ...event }) => event),
    sizes: [fit?.tokensBefore, fit?.tokensAfter],
  }));
}

describe('a branch is read as if nothing had been read before', () => {
  it.each([
    ['words', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'between' }] }],
    ['reasoning', { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'sealed' }],
  ])('where %s stand between the calls of an answer', async (_, between) => {
    const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'read', arguments: '{}' });
    const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'x' });
    const list = [user('go'), call('1'), call('2'), between, call('3'), output('1'), output('2'), output('3')];
    const [known, alone] = await bothWays(responsesItems() as never, [
      [...list, user('next')],
      [...list, user('other')],
    ]);
    expect(known).toEqual(alone);
  });

  it('where an id holds half of a surrogate pair, and its result comes later', async () => {
    const tool_calls = [{ id: 'c1\udfff', type: 'function', function: { name: 'read', arguments: '{}' } }];
    const list = [user('hi'), { role: 'assistant', content: 'yo' }, user('x'), { role: 'assistant', tool_calls }];
    const result = { role: 'tool', tool_call_id: 'c1\udfff', content: 'y' };
    const [known, alone] = await bothWays(chatMessages() as never, [
      [...list, user('wait')],
      [...list, user('other'), result],
    ]);
    expect(known).toEqual(alone);
    expect(known?.events?.at(-1)).toMatchObject({ type: 'observation', toolName: 'read' });
  });

  it('where thinking is gone that was there', async () => {
    const thinking = { type: 'thinking', thinking: 'Hm. '.repeat(50), signature: 's' };
    const answer = (...content: object[]) => ({
      role: 'assistant',
      content: [...content, { type: 'text', text: 'a' }],
    });
    const [known, alone] = await bothWays(anthropicMessages() as never, [
      [user('u'), answer(thinking), user('v'), answer(), user('w')],
      [user('u'), answer(), user('v'), answer(), user('x')],
    ]);
    expect(known).toEqual(alone);
  });
});

/** Items in any order: answers of several items, calls with and without results, ids that repeat. */
const item = fc
  .record({
    kind: fc.constantFrom('user', 'words', 'reasoning', 'call', 'call', 'output', 'output', 'system', 'compaction'),
    id: fc.constantFrom('1', '2', '3', '4\udfff'),
    text: fc.constantFrom('one', 'two', 'half \ud83d'),
  })
  .map(({ kind, id, text }): object => {
    switch (kind) {
      case 'words':
        return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
      case 'reasoning':
        return { type: 'reasoning', id: `rs${id}`, summary: [], encrypted_content: text };
      case 'call':
        return { type: 'function_call', call_id: id, name: text, arguments: '{}' };
      case 'output':
        return { type: 'function_call_output', call_id: id, output: text };
      case 'compaction':
        return { type: 'compaction', encrypted_content: text };
      default:
        return { role: kind, content: text };
    }
  });

test('any edit and any branch is read as if nothing had been read before', async () => {
  const edit = fc.record({ at: fc.nat(30), removed: fc.nat(3), added: fc.array(item, { maxLength: 3 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { minLength: 4, maxLength: 14 }),
      fc.array(edit, { maxLength: 4 }),
      async (first, edits) => {
        const lists: object[][] = [[user('go'), ...first]];
        for (const { at, removed, added } of edits) {
          const list = [...(lists.at(-1) ?? [])];
          list.splice(1 + (at % list.length), removed, ...added);
          lists.push(structuredClone(list));
        }
        const [known, alone] = await bothWays(responsesItems() as never, lists);
        expect(known).toEqual(alone);
      },
    ),
    { seed: 20_261_127, numRuns: process.env['PALIMPSEST_THOROUGH'] === 'true' ? 150 : 40 },
  );
});

test('the sizes of a fit are those of its time, whenever they are read', async () => {
  const compaction = { type: 'compaction', encrypted_content: 'x'.repeat(400) };
  const first = [user('u '.repeat(200)), { role: 'assistant', content: 'a' }, user('v')];
  const second = [...first, compaction, user('w')];
  const lists = [first, second, [...second, compaction, user('x')]];
  const codec = responsesItems() as never;
  const late = (await fitsOf(codec, lists)).map(({ tokensBefore, tokensAfter }) => [tokensBefore, tokensAfter]);
  const history = condensedHistory({ condenser, codec });
  const atOnce: (readonly number[])[] = [];
  for (const list of lists) {
    const { tokensBefore, tokensAfter } = await history.fit(list as never[], { conversationId: 'one' });
    atOnce.push([tokensBefore, tokensAfter]);
  }
  expect(late).toEqual(atOnce);
  expect(late[0]?.[0]).toBeGreaterThan(100);
});

describe('while a long list is read', () => {
  const list = Array.from({ length: 6_000 }, (_, index) =>
    index % 2 === 0
      ? user(`Question ${index}. ${'word '.repeat(40)}`)
      : { role: 'assistant', content: `Answer ${index}.` },
  );

  /** Each message takes a millisecond, on whatever machine: a breath is due after every 64th. */
  function slowMessages(): ReturnType<typeof chatMessages> {
    const codec = chatMessages();
    return {
      ...codec,
      read: (message) => {
        const end = performance.now() + 1;
        while (performance.now() < end);
        return codec.read(message);
      },
    };
  }

  it('others have their turn', async () => {
    let turns = 0;
    let isOver = false;
    const next = (): void => {
      turns++;
      if (!isOver) setImmediate(next);
    };
    setImmediate(next);
    await fitsOf(slowMessages() as never, [list.slice(0, 64 * 4)]);
    isOver = true;
    expect(turns).toBeGreaterThan(2);
  });

  it('an abort ends it, and the next fit is whole', async () => {
    const abort = new AbortController();
    const history = condensedHistory({ condenser, codec: slowMessages() });
    const fit = history.fit(list.slice(0, 64 * 4), { signal: abort.signal });
    setImmediate(() => abort.abort(new Error('enough')));
    await expect(fit).rejects.toThrow('enough');
    expect((await history.fit(list)).messages).toEqual(list);
  });

  it('timers that the host has faked stop nothing', async () => {
    const { setImmediate: immediately, setTimeout: later } = globalThis;
    Object.assign(globalThis, { setImmediate: () => 0, setTimeout: () => 0 });
    try {
      expect((await fitsOf(chatMessages() as never, [list]))[0]?.messages).toHaveLength(list.length);
    } finally {
      Object.assign(globalThis, { setImmediate: immediately, setTimeout: later });
    }
  });
});
