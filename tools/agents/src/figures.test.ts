import { describe, expect, it } from 'vitest';
import type { Block, Exchange, Message } from './exchange.js';
import { billOf, looksOf } from './figures.js';
import { ruleMark, taskMark } from './place.js';

const user = (...content: readonly Block[]): Message => ({ role: 'user', content });
const assistant = (...content: readonly Block[]): Message => ({ role: 'assistant', content });
const text = (words: string): Block => ({ type: 'text', text: words });
const picture = { type: 'image', source: 'data' };
const look: Block = { type: 'tool_use', id: 'a', input: { path: 'picture-3.png' } };
const result = (...content: readonly Block[]): Block => ({ type: 'tool_result', tool_use_id: 'a', content });
const start = user(text(`${taskMark}: go.`));

function request(messages: readonly Message[], size = 1_000, fields: Partial<Exchange> = {}): Exchange {
  const body = { system: `Rules. ${ruleMark}`, tools: [], messages };
  return {
    ...{ invocation: 0, asker: 'main', body, status: 200, refusal: '' },
    ...{ read: size, written: 0, uncached: 0, output: 0, ...fields },
  };
}

describe('looksOf', () => {
  it('tells a list that goes on from one that was changed, and a condensation from other changes', () => {
    const looks = looksOf([
      request([start]),
      request([start, assistant({ type: 'thinking' }, text('One.')), user(text('Two.'))], 2_000),
      request([start, user(text('A summary.'))], 1_200),
      request([start, user(text('Another.'))], 1_200),
    ]);
    expect(looks.map(({ isRewrite, isCondensation }) => [isRewrite, isCondensation])).toEqual([
      [false, false],
      [false, false],
      [true, true],
      [true, false],
    ]);
  });

  it('does not read cache marks, nor a text as another than a list of it', () => {
    const marked = { ...text(`${taskMark}: go.`), cache_control: { type: 'ephemeral' } };
    const looks = looksOf([
      request([user(marked)]),
      request([{ role: 'user', content: `${taskMark}: go.` }, assistant(text('One.'))]),
    ]);
    expect(looks.map(({ isRewrite }) => isRewrite)).toEqual([false, false]);
  });

  it('misses the rules and the first prompt', () => {
    const without = request([start]);
    const looks = looksOf([
      request([start]),
      request([user(text('Go.'))]),
      { ...without, body: { ...without.body, system: 'Rules.' } },
    ]);
    expect(looks.map(({ hasSetUp }) => hasSetUp)).toEqual([true, false, false]);
  });

  it.each([
    ['it is there', [start, assistant(look), user(result(picture))], []],
    ['it stands in a message behind its result', [start, assistant(look), user(result(text('Read.')), picture)], []],
    ['its result is empty', [start, assistant(look), user(result(text('')))], ['picture-3.png']],
    ['its result says so', [start, assistant(look), user(result(text('(An image is not shown.)')))], []],
    ['its step is gone', [start, user(text('A summary.'))], ['picture-3.png']],
    ['its step is gone, and a summary names it', [start, user(text('I saw picture-3.png.'))], []],
  ])('a picture that was seen: %s', (_what, messages, lost) => {
    const looks = looksOf([request([start, assistant(look), user(result(picture))]), request(messages)]);
    expect(looks.at(-1)?.lostPictures).toEqual(lost);
  });

  it('finds the result that was lost of a file that is there', () => {
    const failed = (path: string) => [
      assistant({ type: 'tool_use', id: 'a', input: { path } }),
      user({ ...result(text('Missing.')), is_error: true }),
    ];
    const looks = looksOf([request([start, ...failed('part-3.ts')]), request([start, ...failed('missing-3.ts')])]);
    expect(looks.map(({ lostResults }) => lostResults)).toEqual([['part-3.ts'], []]);
  });

  it('looks at accepted requests of the main agent alone, and at starts', () => {
    const looks = looksOf([
      request([start]),
      request([user(text('Errand.'))], 10, { asker: 'errand' }),
      request([user(text('Refused.'))], 10, { status: 400 }),
      request([start, assistant(text('One.'))], 1_100, { invocation: 1 }),
    ]);
    expect(looks.map(({ isRewrite, isFirstAfterRestart }) => [isRewrite, isFirstAfterRestart])).toEqual([
      [false, false],
      [false, true],
    ]);
  });
});

it('bills what is read at a tenth, what is written at five quarters, and an answer at five', () => {
  expect(billOf([request([start], 1_000, { written: 100, uncached: 10, output: 1 })])).toBe(100 + 125 + 10 + 5);
});
