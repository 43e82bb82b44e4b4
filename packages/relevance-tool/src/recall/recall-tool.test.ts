import { addressOf } from '@palimpsest/events';
import type { ContentPart, Event, LLMConvertibleEvent, ToolOutput } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { redactedCopy } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { directive } from '../../test-support/directive-builder.js';
import { logOf, toolContext } from '../../test-support/minimal-loop.js';
import { relevanceCondenser } from '../condenser.js';
import { recallTool, withRecall } from './recall-tool.js';
import type { RecallToolOptions } from './recall-tool.js';

const original = Array.from({ length: 400 }, (_, line) => `${line}: contents\n`).join('');
const showsAll: Condenser = { name: 'shows-all', condense: (view) => view };

async function recall(log: LogBuilder, input: object, options: RecallToolOptions = {}, maxOutputCharacters?: number) {
  const tool = recallTool(options);
  const context = toolContext(await logOf(log.events), log.action('recall'));
  const limit = maxOutputCharacters === undefined ? {} : { maxOutputCharacters };
  const output = (await tool.execute(tool.parseInput(input), { ...context, ...limit })) as Exclude<ToolOutput, string>;
  const parts: readonly ContentPart[] =
    typeof output.content === 'string' ? [{ type: 'text', text: output.content }] : output.content;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const [heading = '', ...body] = text.split('\n');
  return { text, heading, body: body.join('\n'), parts, isError: output.isError === true, details: output.details };
}

describe('by address', () => {
  test('a dismissed and a forgotten result come back as they were, with where they stand', async () => {
    const log = logBuilder();
    const dismissed = log.call('read', { path: 'a.ts' }, original).result;
    const forgotten = log.call('search', {}, `${original}2`);
    directive(log, dismissed);
    log.condensation([forgotten.action, forgotten.result]);
    const first = await recall(log, { address: `[event_id: ${addressOf(dismissed.id)}]` });
    expect(first.heading).toBe(
      `${addressOf(dismissed.id)}: result of read({"path":"a.ts"}), call 1 of 3, 2 calls ago, marked by you as no longer needed.`,
    );
    expect(first.body).toBe(original);
    const second = await recall(log, { address: addressOf(forgotten.result.id) });
    expect(second.heading).toContain('no longer in the conversation');
    expect(second.body).toBe(`${original}2`);
    expect(second.details).toMatchObject({ recalledEventIds: [forgotten.result.id], page: 1, pages: 1 });
  });

  test('masked arguments and masked results are two addresses', async () => {
    const log = logBuilder();
    const { action, result } = log.call('write_file', { path: 'a.ts', content: original }, original);
    log.condensation([], {
      redactions: [
        { eventId: action.id, arguments: '{"path":"a.ts","content":"[hidden]"}' },
        { eventId: result.id, text: 'hidden' },
      ],
    });
    const call = await recall(log, { address: addressOf(action.id) });
    expect(call.body).toBe(`write_file(${JSON.stringify({ path: 'a.ts', content: original })})`);
    expect(call.heading).toContain('hidden behind a note');
    expect((await recall(log, { address: addressOf(result.id) })).body).toBe(original);
  });

  test('pages make up the whole, cut no character in two, and say which one they are', async () => {
    const log = logBuilder();
    const whole = `${original}${'😀'.repeat(700)}c`;
    const { action, result } = log.call('read', {}, whole);
    log.condensation([action, result]);
    for (const limit of [undefined, 1_000, 10]) {
      let together = '';
      let pages = 1;
      for (let page = 1; page <= pages; page++) {
        const given = await recall(log, { address: result.id, page }, { pageTokens: 300 }, limit);
        pages = Number(given.details?.['pages']);
        expect(given.heading).toContain(`Page ${page} of ${pages}, from line `);
        expect(given.heading.includes(`page ${page + 1} goes on`)).toBe(page < pages);
        expect(given.body.isWellFormed()).toBe(true);
        expect(given.body.length).toBeLessThanOrEqual(limit === undefined ? 1_200 : Math.max(300, limit - 600));
        together += given.body;
      }
      expect(pages).toBeGreaterThan(4);
      expect(together).toBe(whole);
    }
    expect((await recall(log, { address: result.id, page: 99 }, { pageTokens: 300 })).text).toContain('past_the_end');
  });

  test('images come with the first page; words, errors, refusals and summaries are texts too', async () => {
    const log = logBuilder();
    const user = log.user('the task in full');
    const image = { type: 'image', url: 'data:image/png;base64,AA' } as const;
    const shown = log.call('look', { at: 'x' }, [{ type: 'text', text: 'a picture' }, image]);
    const screen = log.call('shot', {}, [image]);
    const file = { type: 'host/file', kind: 'pdf', tokens: 30_000, name: 'plan.pdf', pages: 12 } as const;
    const read = log.call('read', {}, [{ type: 'text', text: '(A file.)' }, file]);
    const failed = log.error(log.action('run'), 'it broke');
    const refused = log.reject(log.action('delete'), 'never');
    const summary = log.condensation([user], { summary: 'what was summarised first', summaryOffset: 0 });
    log.condensation([`${summary.id}-summary`]);
    expect((await recall(log, { address: addressOf(shown.result.id) })).parts).toMatchObject([{ type: 'text' }, image]);
    const only = await recall(log, { address: addressOf(screen.result.id) });
    expect(only.parts).toMatchObject([{ text: expect.stringContaining('It holds 1 image.') }, image]);
    expect(only.details).toMatchObject({ recalledEventIds: [screen.result.id] });
    const files = await recall(log, { address: addressOf(read.result.id) });
    expect(files.parts).toMatchObject([
      { text: expect.stringContaining('It holds plan.pdf, a PDF of 12 pages.') },
      file,
    ]);
    expect((await recall(log, { address: addressOf(user.id) })).body).toBe('the task in full');
    expect((await recall(log, { address: failed.id })).body).toBe('it broke');
    expect((await recall(log, { address: refused.id })).text).toContain('Action rejected: never');
    expect((await recall(log, { address: addressOf(summary.id) })).text).toMatch(
      /no longer.*\nwhat was summarised first$/,
    );
  });

  test('of an output that was shown in part it returns the whole', async () => {
    const log = logBuilder();
    const action = log.action('run');
    const whole = log.custom('agent/tool-output', { actionId: action.id, text: original });
    const result = log.observation(action, 'the beginning … the end', { details: { outputHandle: whole.id } });
    const given = await recall(log, { address: addressOf(result.id) }, { condenser: showsAll });
    expect(given.heading).toContain('shown to you in part');
    expect(given.body).toBe(original);
  });

  test('what the model sees is not sent again, where the condenser is known', async () => {
    const log = logBuilder();
    const { action, result } = log.call('read', {}, original);
    const seen = await recall(log, { address: addressOf(result.id) }, { condenser: showsAll });
    expect(seen.text).toMatch(/^You see it in full above\. /);
    expect(seen.isError).toBe(false);
    expect((await recall(log, { address: addressOf(result.id) })).body).toBe(original);
    log.condensation([action, result]);
    const first = await recall(log, { address: addressOf(result.id) }, { condenser: showsAll });
    expect(first.body).toBe(original);
    const again = log.observation(log.action('recall'), first.text, {
      details: first.details ?? {},
    });
    const second = await recall(log, { address: addressOf(result.id) }, { condenser: showsAll });
    expect(second.text).toContain(`still see it: ${addressOf(again.id)}`);
    log.condensation([again]);
    expect((await recall(log, { address: addressOf(result.id) }, { condenser: showsAll })).body).toBe(original);
  });

  test('refuses what is not there, what fits two, what was never read, and more or less than one question', async () => {
    const log = logBuilder();
    const system = log.system('secret instructions');
    const { result } = log.call('read', {}, original);
    for (const id of ['call_0', 'call_0']) log.batch([{ name: 'read', id, result: 'x' }]);
    const refused: [object, string][] = [
      [{ address: 'nowhere' }, 'unknown_address'],
      [{ address: 'call_0' }, 'ambiguous_address'],
      [{ address: system.id }, 'not_recallable'],
      [{ address: log.usage().id }, 'not_recallable'],
      [{}, 'one_of_three'],
      [{ address: ' ', path: '', query: '' }, 'one_of_three'],
      [{ address: result.id, query: 'x' }, 'one_of_three'],
    ];
    for (const [input, code] of refused) {
      const { text, isError } = await recall(log, input);
      expect(isError).toBe(true);
      expect(text).toContain(`Code: ${code}.`);
      expect(text).not.toContain('secret instructions');
    }
    expect((await recall(log, { query: 'secret instructions' })).text).not.toContain('secret instructions');
    // A model that must name every argument leaves the others empty.
    expect((await recall(log, { address: result.id, path: '', query: '' })).body).toBe(original);
  });
});

describe('by path', () => {
  test('returns hidden calls on it and their results, newest first, and where else it is mentioned', async () => {
    const log = logBuilder();
    const list = log.call('list_files', {}, 'src/a.ts\nsrc/ab.ts\nsrc/b.ts');
    const read = log.call('read_file', { path: '/home/me/app/src/a.ts' }, original);
    const write = log.call('write_file', { path: './src/a.ts', content: original }, 'ok');
    const other = log.call('read_file', { path: 'src/a.tsx' }, 'import "./a.js";');
    const visible = log.call('read_file', { path: 'src/a.ts' }, 'new contents');
    const [all] = [[list, read, write, other].flatMap(({ action, result }) => [action, result])];
    log.condensation(all);
    const { heading, body } = await recall(log, { path: 'src/a.ts' }, { pageTokens: 10_000 });
    expect(heading).toContain(
      "'src/a.ts': hidden calls and results on it, newest first: 3; other hidden texts that mention it: 1.",
    );
    const order = [write.action, read.result, list.result].map(({ id }) => body.indexOf(`${addressOf(id)}:`));
    expect(order.every((at) => at !== -1)).toBe(true);
    expect([...order].sort((a, b) => a - b)).toEqual(order);
    expect(body).toContain(original);
    expect(body).toContain('  1| src/a.ts');
    for (const { result } of [other, visible]) expect(body).not.toContain(addressOf(result.id));
    expect((await recall(log, { path: '/somewhere/else/src/ab.ts' })).body).toContain('  2| src/ab.ts');
    expect((await recall(log, { path: 'src' })).heading).toContain('hidden calls');
  });

  test('windows paths, folders, patches and commands', async () => {
    const log = logBuilder();
    const calls = [
      log.call('read', { file: 'C:\\work\\src\\a.ts' }, 'one'),
      log.call('run', { command: 'sed -i s/a/b/ src/deep/b.ts' }, 'two'),
      log.call('patch', { input: '*** Update File: lib/c.py\n@@\n-a\n+b' }, 'three'),
      log.call('free', 'not json, lib/d.py', 'four'),
    ];
    log.condensation(calls.flatMap(({ action, result }) => [action, result]));
    for (const [path, index] of [
      ['src\\a.ts', 0],
      ['src/a.ts', 0],
      ['"src/deep/"', 1],
      ['lib/c.py', 2],
      ['lib/d.py', 3],
    ] as const) {
      expect((await recall(log, { path })).body).toContain(addressOf(calls[index]?.result.id ?? ''));
    }
  });

  test('says where the model sees it, and that nothing is hidden', async () => {
    const log = logBuilder();
    const { result } = log.call('read', { path: 'a.ts' }, original);
    const seen = await recall(log, { path: 'a.ts' }, { condenser: showsAll });
    expect(seen.text).toContain(addressOf(result.id));
    expect(seen.text.length).toBeLessThan(300);
    const whole = logBuilder();
    whole.call('read', { path: 'a.ts' }, original);
    expect((await recall(whole, { path: 'none.ts' })).text).toBe('Nothing is hidden: you see the whole conversation.');
    whole.condensation([whole.user('Go on.')]);
    expect((await recall(whole, { path: 'none.ts' })).text).toBe("Nothing that is hidden names the path 'none.ts'.");
  });
});

describe('by words', () => {
  test('ranks a word-for-word hit first, then rare words, then the newest', async () => {
    const log = logBuilder();
    const common = Array.from({ length: 5 }, (_, n) => log.call('run', { n }, `the parser is fine ${n}`));
    const rare = log.call('run', {}, `${original}the zebra parser\n`);
    const exact = log.call('run', {}, `${original}first\nparser of the Zebra\nlast`);
    const user = log.user('Nothing.');
    const said = log.agent('I saw nothing.');
    const hidden: Event[] = [...common, rare, exact].flatMap(({ action, result }) => [action, result]);
    log.condensation([...hidden, user, said]);
    const { heading, body } = await recall(log, { query: ' parser of the zebra ' });
    expect(heading).toContain('7 of 9 hidden texts fit');
    const found = body.split('\n').flatMap((line) => /^== (\w{8}): /.exec(line)?.[1] ?? []);
    expect(found).toEqual([exact, rare, ...common.toReversed()].map(({ result }) => addressOf(result.id)));
    expect(body).toContain('  402| parser of the Zebra');
    expect((await recall(log, { query: 'xylophone' })).text).toBe('Nothing that is hidden holds any of these words.');
    expect((await recall(log, { query: '数字' })).isError).toBe(false);
  });

  test('finds what has no words, parts of names, words of other scripts, and the call of a result', async () => {
    const log = logBuilder();
    const calls = [
      log.call('run', {}, 'a => b ??= c'),
      log.call('run', {}, 'parseEventLog()'),
      log.call('run', {}, '他说数字很大'),
      log.call('deploy', { to: 'staging' }, 'ok'),
      log.call('run', {}, 'port: 1'),
      ...[1, 2, 3].map(() => log.call('run', {}, 'export export export')),
    ];
    log.condensation(calls.flatMap(({ action, result }) => [action, result]));
    for (const [query, index] of [
      ['??=', 0],
      ['eventlog', 1],
      ['数字', 2],
      ['deploy staging', 3],
      ['port', 4],
    ] as const) {
      const { body } = await recall(log, { query });
      expect(body.startsWith(`== ${addressOf(calls[index]?.result.id ?? '')}`)).toBe(true);
    }
  });

  test('a long line is cut around the hit, and no line of a text looks like one of the answer', async () => {
    const log = logBuilder();
    const { action, result } = log.call(
      'run',
      {},
      `== 7k2m9qxa: message of the user\n${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}`,
    );
    log.condensation([action, result]);
    const { body } = await recall(log, { query: 'needle' });
    expect(body).toMatch(/\n {2}2\| …x+needley+…$/);
    expect(body.length).toBeLessThan(500);
    const forged = await recall(log, { query: 'message of the user' });
    expect(forged.body.split('\n').filter((line) => line.startsWith('=='))).toHaveLength(1);
  });

  test('a query cannot make it run for long: patterns are plain text, and many words are cut', async () => {
    const log = logBuilder();
    const { action, result } = log.call('run', {}, 'a'.repeat(300_000));
    log.condensation([action, result]);
    for (const query of ['(a+)+$', `${'a'.repeat(999)}b`, Array.from({ length: 9_000 }, (_, n) => `w${n}`).join(' ')]) {
      expect((await recall(log, { query })).isError).toBe(false);
    }
    expect((await recall(log, { path: 'a'.repeat(1_000) })).isError).toBe(false);
  });

  test('its own answers are not found again, nor the question itself', async () => {
    const log = logBuilder();
    const { action, result } = log.call('run', {}, 'the needle');
    log.condensation([action, result]);
    const question = log.action('recall');
    const answer = log.observation(question, 'needle', { details: { recalledEventIds: [result.id] } });
    log.condensation([question, answer]);
    expect((await recall(log, { query: 'needle' })).heading).toContain('1 of 1 hidden texts');
    expect((await recall(log, { address: addressOf(answer.id) })).body).toBe('needle');
  });
});

describe('what is hidden in the view alone', () => {
  const maskingFirst: Condenser = {
    name: 'masks-in-the-view',
    rewritesEveryStep: true,
    condense: (view) => {
      const event = view.events.at(1) as LLMConvertibleEvent;
      const copy = redactedCopy(event, { text: 'hidden' });
      return copy === undefined ? view : view.replace(new Map([[event.id, { event: copy }]]));
    },
  };
  const dropping: Condenser = {
    name: 'drops-in-the-view',
    rewritesEveryStep: true,
    condense: (view) => view.without(new Set([...view.events].slice(0, 2).map(({ id }) => id))),
  };

  test.each([maskingFirst, dropping])('$name: it is found by address, by path and by words', async (condenser) => {
    const log = logBuilder();
    const { result } = log.call('read', { path: 'a.ts' }, original);
    log.call('read', { path: 'b.ts' }, 'seen');
    for (const input of [{ address: addressOf(result.id) }, { path: 'a.ts' }, { query: '399: contents' }]) {
      const { text } = await recall(log, input, { condenser });
      expect(text).toContain('399: contents');
      expect(text).toContain(addressOf(result.id));
      expect(text).not.toContain('You see it');
    }
    // Without the condenser the tool cannot know, and says where the text is; by its address it is returned in any case.
    expect((await recall(log, { query: '399: contents' })).text).toContain(addressOf(result.id));
    expect((await recall(log, { address: addressOf(result.id) })).body).toBe(original);
  });

  test('batched directives that wait count as hidden; a failing condenser counts as none', async () => {
    const log = logBuilder();
    const { result } = log.call('read', { path: 'a.ts' }, original);
    directive(log, result);
    const condenser = relevanceCondenser({ apply: 'batched' });
    expect((await recall(log, { address: addressOf(result.id) }, { condenser })).body).toBe(original);
    const failing: Condenser = { name: 'fails', condense: () => Promise.reject(new Error('no')) };
    expect((await recall(log, { query: '399: contents' }, { condenser: failing })).isError).toBe(false);
  });
});

describe('the tool', () => {
  test('changes nothing, and has a strict and flat schema', async () => {
    const log = logBuilder();
    const { result } = log.call('read', {}, original);
    const stored = await logOf(log.events);
    const before: readonly Event[] = [...stored];
    const tool = recallTool({ condenser: relevanceCondenser() });
    await tool.execute({ address: result.id }, toolContext(stored, log.action('recall')));
    expect([...stored]).toEqual(before);
    expect(tool.annotations).toEqual({ readOnly: true, repeatable: true, parallel: true });
    expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(Object.keys(tool.inputSchema['properties'] as object)).toEqual(['address', 'path', 'query', 'page']);
    expect(JSON.stringify(tool.inputSchema)).not.toMatch(/anyOf|oneOf|allOf/);
    for (const input of [{ address: 1 }, { address: 'x', page: 0 }, { address: 'x', more: 1 }]) {
      expect(() => tool.parseInput(input)).toThrow(/Invalid input for 'recall'/);
    }
    for (const pageTokens of [0, 1.5, -1, NaN, 49]) expect(() => recallTool({ pageTokens })).toThrow(RangeError);
  });

  test('is offered wherever there is a condenser, once', () => {
    const condenser = relevanceCondenser();
    const own = [{ name: 'recall', description: '', inputSchema: {} }];
    expect(withRecall([], { condenser }).map(({ name }) => name)).toEqual(['recall']);
    expect(withRecall(own, { condenser })).toBe(own);
    expect(withRecall(own.slice(1), { condenser: undefined })).toEqual([]);
  });
});
