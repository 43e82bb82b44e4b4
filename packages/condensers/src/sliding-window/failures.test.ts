import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, NoCondensationAvailableError } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { readingSummarizer, Session } from '../../test-support/window-session.js';
import { slidingWindowCondenser } from './sliding-window.js';

/** A window of two requests, made by a summariser that fails until its `works`-th call. */
function failing(answer: () => unknown, works: number, options: { readonly keepsAttempts?: boolean } = {}) {
  const reader = readingSummarizer((_, call) => (call < works ? answer() : undefined));
  const condenser = slidingWindowCondenser({
    compactionInterval: 2,
    overlapSize: 0,
    summarizer: reader.summarizer,
    modelCall: { timeoutMs: 20 },
  });
  return { session: new Session(condenser, options), inputs: reader.inputs };
}

const failures: readonly { readonly name: string; readonly answer: () => unknown; readonly kind: string }[] = [
  {
    name: 'throws',
    answer: () => {
      throw new Error('the model is away');
    },
    kind: 'error',
  },
  { name: 'rejects', answer: () => Promise.reject(new Error('the model is away')), kind: 'error' },
  { name: 'answers null', answer: () => null, kind: 'empty' },
  { name: 'answers nothing', answer: () => Promise.resolve(undefined), kind: 'empty' },
  { name: 'answers a text that is no text', answer: () => ({ text: 7 }), kind: 'empty' },
  { name: 'answers blanks', answer: () => ({ text: ' \n\t' }), kind: 'empty' },
  { name: 'answers with more than it replaces', answer: () => ({ text: 'long '.repeat(5_000) }), kind: 'too-large' },
  { name: 'never answers', answer: () => new Promise(() => undefined), kind: 'timeout' },
];

describe.each(failures)('a summariser that $name', ({ answer, kind }) => {
  test('changes nothing, is reported, and is asked again for a larger window at the next request', async () => {
    const { session, inputs } = failing(answer, 2);
    await session.run(2);
    await session.request();
    expect(session.made).toEqual([]);
    expect(session.shown).toContain('request 2');
    expect(session.attempts).toHaveLength(1);
    expect(session.attempts[0]).toMatchObject({
      outcome: 'failed',
      data: {
        condenser: 'slidingWindow',
        trigger: 'interval',
        kind,
        model: 'reader',
        events: session.view.events.length,
      },
    });
    expect(session.attempts[0]?.reason).not.toBe('');
    await session.step();
    await session.step();
    expect(inputs).toHaveLength(1);
    session.answer();
    await session.request();
    expect(session.windows).toEqual(['3: S(1-3)']);
  });
});

test('where the host keeps no attempts it is asked at each step', async () => {
  const { session, inputs } = failing(() => null, 99, { keepsAttempts: false });
  await session.run(2);
  await session.request();
  await session.step();
  expect(inputs).toHaveLength(2);
});

test('a failed window goes on with its own cadence', async () => {
  const reader = readingSummarizer((_, call) => (call === 1 ? null : undefined));
  const condenser = slidingWindowCondenser({ compactionInterval: 3, overlapSize: 1, summarizer: reader.summarizer });
  const session = new Session(condenser);
  await session.run(11);
  expect(session.windows).toEqual(['4: S(1-4)', '7: S(4-7)', '10: S(7-10)']);
});

describe('a request for a condensation', () => {
  test('makes a window of what is completed, however few', async () => {
    const { summarizer } = readingSummarizer();
    const session = new Session(slidingWindowCondenser({ compactionInterval: 5, overlapSize: 0, summarizer }));
    await session.run(2);
    await session.request();
    session.log.request();
    await session.condense();
    expect(session.windows).toEqual(['2: S(1-2)']);
    expect(session.made[0]?.metadata).toMatchObject({ reason: 'request' });
  });

  test('then takes the live request up to its newest step, and at last rolls up the summaries', async () => {
    const { summarizer } = readingSummarizer();
    const session = new Session(slidingWindowCondenser({ compactionInterval: 1, overlapSize: 0, summarizer }));
    await session.run(3);
    await session.request();
    for (let step = 0; step < 4; step++) await session.step();
    session.log.request();
    await session.condense();
    expect(session.shown.slice(-4)).toEqual(['request 4', 'S(4)', 'action', 'observation']);
    const long = 'S('.padEnd(300, 'x') + ')';
    const rolled = new Session(
      slidingWindowCondenser({
        compactionInterval: 1,
        overlapSize: 0,
        summarizer: readingSummarizer((_, call) => (call < 4 ? { text: long } : undefined)).summarizer,
      }),
    );
    await rolled.run(3);
    await rolled.request();
    rolled.log.request();
    await rolled.condense();
    expect(rolled.shown).toEqual(['system-prompt', 'request 1', 'S(none)', 'request 4']);
    // The cadence goes on behind a summary that did nothing but roll up others.
    rolled.answer();
    await rolled.request();
    expect(rolled.windows.at(-1)).toBe('4: S(4)');
  });

  test('that cannot be met ends in the typed error', async () => {
    const { summarizer } = readingSummarizer();
    const session = new Session(slidingWindowCondenser({ compactionInterval: 1, overlapSize: 0, summarizer }));
    session.log.user('request 1');
    session.log.request();
    expect(await session.condenseOnce()).toBeInstanceOf(NoCondensationAvailableError);
  });

  test('whose summariser fails ends in the typed error with its cause, after one call', async () => {
    const { session, inputs } = failing(() => {
      throw new Error('the model is away');
    }, 99);
    await session.run(1);
    session.log.user('request 2');
    session.log.request();
    const error = await session.condenseOnce();
    expect(error).toBeInstanceOf(NoCondensationAvailableError);
    expect((error as Error).message).toContain('the model is away');
    expect((error as Error).cause).toMatchObject({ code: 'condenser-model', kind: 'error' });
    expect(inputs).toHaveLength(1);
    expect(session.attempts.at(-1)).toMatchObject({ outcome: 'failed', data: { trigger: 'request' } });
  });
});

test('an abort passes through with its reason', async () => {
  const { session, inputs } = failing(() => new Promise(() => undefined), 99);
  await session.run(2);
  session.log.user('request 3');
  const controller = new AbortController();
  const reason = new Error('nobody waits');
  const { summarizer } = readingSummarizer(() => {
    controller.abort(reason);
    return new Promise(() => undefined);
  });
  const condenser = slidingWindowCondenser({ compactionInterval: 2, overlapSize: 0, summarizer });
  await expect(condenser.condense(session.view, { report: () => {}, signal: controller.signal })).rejects.toBe(reason);
  expect(inputs).toEqual([]);
});

describe('with a model', () => {
  const llmWindow = async (llm: ReturnType<typeof scriptedLLM>, prompt?: string) => {
    const plain = new Session();
    plain.log.user('request 1: {braces} {{ double }} $& $1 ' + 'please '.repeat(40));
    plain.log.call('deploy_site', { target: 'blue' }, 'deployed '.repeat(40));
    plain.log.agent('answer 1');
    plain.log.user('request 2');
    const condenser = slidingWindowCondenser({
      compactionInterval: 1,
      overlapSize: 0,
      llm,
      modelCall: { prompt },
    });
    const attempts: unknown[] = [];
    const result = await condenser.condense(plain.view, { report: (attempt) => attempts.push(attempt) });
    const request = llm.requests[0];
    const [part] = request?.messages[0]?.content ?? [];
    return { result, attempts, request, text: part?.type === 'text' ? part.text : '' };
  };

  test('one call, not streamed, without tools; the prompt holds calls and results whatever characters they have', async () => {
    const { result, request, text } = await llmWindow(
      scriptedLLM({ script: ['The site is deployed.'], model: 'small' }),
    );
    expect(isCondensation(result) && result.summary).toMatch(/The site is deployed\.$/);
    expect(isCondensation(result) && result.metadata).toMatchObject({ model: 'small' });
    expect(request?.messages).toHaveLength(1);
    expect(request?.tools).toBeUndefined();
    expect(request?.onDelta).toBeUndefined();
    expect(text).toContain('request 1: {braces} {{ double }} $& $1 please');
    expect(text).toContain('call of deploy_site: {"target":"blue"}');
    expect(text).toContain('deployed deployed');
    expect(text).toContain('exact names of the tools');
    expect(text).toContain('<user_words>\nrequest 2\n</user_words>');
    expect(text).not.toContain('<previous_summary>\n');
  });

  test('a template of your own takes the place of ours', async () => {
    const { text } = await llmWindow(
      scriptedLLM({ script: ['Short.'] }),
      'Sum up:{% for event in events %}[{{ event.text }}]{% endfor %}',
    );
    expect(text.startsWith('Sum up:[user: request 1: {braces}')).toBe(true);
  });

  test('an answer that is cut off is no summary', async () => {
    const { result, attempts } = await llmWindow(
      scriptedLLM({ script: [{ text: 'The site is', finishReason: 'length' }] }),
    );
    expect(isCondensation(result)).toBe(false);
    expect(attempts).toMatchObject([{ outcome: 'failed', data: { kind: 'truncated', model: 'scripted' } }]);
  });
});
