import type { Message } from '@palimpsest/events';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../memo.js';
import { modelFacts } from '../index.js';
import { calibrated, calibrationFactor, counterFor, estimateCounter, o200kCounter, TokenCountError } from './index.js';
import { requestSizes, safeCounter } from './token-counter.js';

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const only = (...messages: Message[]) => ({ messages });
const image: Message = { role: 'user', content: [{ type: 'image', url: 'data:image/png;base64,AAAA' }] };
const tools = [{ name: 'run', description: 'Runs a command.', inputSchema: { type: 'object', properties: {} } }];
const called: Message = {
  role: 'assistant',
  content: [],
  toolCalls: [{ id: 'call-1', name: 'run', arguments: '{"command":"ls -la /tmp"}' }],
};

describe('o200kCounter', () => {
  it('counts as OpenAI bills: the text and six tokens for a request with one message', async () => {
    const counter = await o200kCounter();
    expect(counter.name).toBe('o200k_base');
    // "hello world" is two tokens of o200k_base.
    expect(counter.count(only(user('hello world')))).toBe(2 + 6);
  });

  it('counts what looks like a control token as text', async () => {
    expect((await o200kCounter()).count(only(user('<|endoftext|>')))).toBeGreaterThan(6 + 3);
  });

  it('counts tools, calls and images', async () => {
    const counter = await o200kCounter({ tokensPerImage: 500 });
    const alone = counter.count(only(user('Go.')));
    expect(counter.count({ ...only(user('Go.')), tools })).toBeGreaterThan(alone + 10);
    expect(counter.count(only(user('Go.'), called))).toBeGreaterThan(alone + 10);
    expect(counter.count(only(user('Go.'), image))).toBe(alone + 3 + 500);
  });

  // Without the cuts each of these takes a tokenizer many seconds, and the test runner ends it.
  it.each(['a', ' ', '字'])('takes no time with the square of a run of %j', async (character) => {
    const counter = await o200kCounter();
    const tokens = counter.count(only(user(character.repeat(100_000))));
    expect(tokens).toBeGreaterThan(500);
    expect(tokens).toBeLessThan(300_000);
  });
});

describe('estimateCounter', () => {
  it('takes the characters a token of the model', () => {
    const text = 'x'.repeat(1_000);
    const older = estimateCounter(modelFacts('claude-sonnet-4-5', 'anthropic')).count(only(user(text)));
    const newer = estimateCounter(modelFacts('claude-opus-5-5', 'anthropic')).count(only(user(text)));
    expect([older, newer]).toEqual([290, 404]);
  });

  it('takes a token for the first character of Chinese and three for four more, and a stated number for an image', () => {
    const counter = estimateCounter({ charsPerToken: 4 });
    expect(counter.count(only(user('上下文压缩')))).toBe(1 + 4 * 0.75 + 4);
    expect(counter.count(only(image))).toBe(1_600 + 4);
  });

  it('fails rather than answer 0', () => {
    const counter = estimateCounter({ charsPerToken: 0 });
    expect(() => counter.count(only(user('Hello.')))).toThrow(TokenCountError);
    expect(() => counter.count(only(user('Hello.')))).toThrow(/estimate could not count.*charsPerToken/);
  });
});

describe('a history that grows', () => {
  const text = (words: string) => Object.freeze({ type: 'text' as const, text: words });
  const said = (...words: string[]): Message =>
    deepFreeze({ role: 'user', content: words.map((one) => text(one)) } satisfies Message);
  const history: readonly Message[] = [
    said('Go.'),
    deepFreeze(structuredClone(called)),
    deepFreeze({ role: 'tool', toolCallId: 'call-1', toolName: 'run', content: [text('a\nb')] } satisfies Message),
    said('And now?', 'Well?'),
    deepFreeze(structuredClone(image)),
  ];

  it('counts as much as a copy of it does, whatever was counted before', async () => {
    const counters = [await o200kCounter(), estimateCounter({ charsPerToken: 4 })];
    for (const counter of counters) {
      const lists = [...history.keys(), history.length].map((end) => history.slice(0, end));
      for (const messages of [...lists, ...lists.toReversed(), [...history.slice(1), said('Go.')]]) {
        for (const request of [{ messages }, { messages, tools }]) {
          expect(counter.count(request)).toBe(
            (counter.name === 'estimate' ? estimateCounter({ charsPerToken: 4 }) : await o200kCounter()).count(
              structuredClone(request),
            ),
          );
        }
      }
    }
  });

  it('reads only what is new in it', () => {
    const read: string[] = [];
    const measure = { perImage: 1, perMessage: 1, perTool: 1, perRequest: 1 };
    const size = requestSizes({ ...measure, ofText: (one) => read.push(one) });
    const newTexts = (messages: readonly Message[]) => {
      read.length = 0;
      size({ messages, tools: structuredClone(tools) });
      return [...read];
    };
    newTexts(history.slice(0, 4));
    expect(newTexts(history)).toEqual([]);
    expect(newTexts([...history, said('New.')])).toEqual(['New.']);
    // An edit before them changes nothing of the others.
    expect(newTexts([said('Edited.'), ...history.slice(1)])).toEqual(['Edited.']);
  });

  it('counts a message again that its owner has changed', () => {
    const counter = estimateCounter({ charsPerToken: 4 });
    const part = { type: 'text' as const, text: 'short' };
    const messages: readonly Message[] = [Object.freeze({ role: 'user', content: [part] })];
    const before = counter.count({ messages });
    part.text = 'no longer as short as it was';
    expect(counter.count({ messages })).toBeGreaterThan(before);
  });
});

describe('a counter that fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('no vocabulary');
      },
    ],
    ['answers no number', () => Number.NaN],
    ['answers less than nothing', () => -1],
  ])('gives a typed error when it %s', (_how, count) => {
    const counter = safeCounter('mine', count);
    const thrown = (() => {
      try {
        return counter.count(only());
      } catch (error) {
        return error;
      }
    })();
    expect(TokenCountError.isInstance(thrown)).toBe(true);
    expect(thrown).toMatchObject({ code: 'token-count', counter: 'mine' });
    expect(() => calibrated(counter, []).count(only())).toThrow(TokenCountError);
  });
});

describe('counterFor', () => {
  it('takes the tokenizer for OpenAI and an estimate for everybody else', async () => {
    expect((await counterFor({ facts: modelFacts('gpt-6-sol', 'openai') })).name).toBe('o200k_base');
    expect((await counterFor({ facts: modelFacts('claude-opus-5-5', 'anthropic') })).name).toBe('estimate');
    expect((await counterFor({})).name).toBe('estimate');
  });
});

describe('calibrationFactor', () => {
  it('is what providers report over what was counted, of the last calls', () => {
    const drifted = { counted: 1_000, reported: 500 };
    const calls = [drifted, drifted, { counted: 1_000, reported: 1_400 }, { counted: 3_000, reported: 3_400 }];
    expect(calibrationFactor(calls, { lastCalls: 2 })).toBe(1.2);
    expect(
      calibrated(estimateCounter({ charsPerToken: 4 }), calls, { lastCalls: 2 }).count(only(user('x'.repeat(383)))),
    ).toBe(120);
  });

  it('is 1 without calls, and leaves out those that cannot tell', () => {
    expect(calibrationFactor([])).toBe(1);
    const useless = [
      { counted: 0, reported: 100 },
      { counted: 100, reported: 0 },
      { counted: 100_000, reported: 4_096 },
      { counted: 1_000, reported: 100_000 },
      { counted: 10, reported: Number.NaN },
    ];
    expect(calibrationFactor(useless)).toBe(1);
    expect(calibrationFactor([{ counted: 100, reported: 150 }, ...useless], { lastCalls: 1 })).toBe(1.5);
  });

  it('refuses a window that is none', () => {
    expect(() => calibrationFactor([], { lastCalls: 0 })).toThrow(RangeError);
  });
});
