import { defineTool } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { Completion, LLM } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script, ScriptedAnswer } from '@palimpsest/llm-adapters/testing';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import type { AgentOptions } from '../agent-options.js';
import { Conversation } from '../conversation/conversation.js';

// Answers that their provider ended before the model had finished them: which calls run, what the model reads, how the run ends.

const call = (path: string) => ({ name: 'read', arguments: { path } });
const cutCall = { name: 'read', arguments: '{"path":"/etc/pas' };

async function open(llm: LLM, options: Partial<AgentOptions> = {}) {
  const reads: string[] = [];
  const read = defineTool({
    name: 'read',
    description: 'Reads a file.',
    input: z.object({ path: z.string().optional() }),
    execute: ({ path = 'nothing' }) => {
      reads.push(path);
      return `of ${path}`;
    },
  });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [read], ...options }) });
  await conversation.send('Read it.');
  return { conversation, reads };
}

async function ran(script: Script, options: Partial<AgentOptions> = {}) {
  const llm = scriptedLLM({ script });
  const opened = await open(llm, options);
  const outcome = await opened.conversation.run();
  for (const { messages } of llm.requests) expect(messageViolations(messages)).toEqual([]);
  return { ...opened, llm, outcome, lastRequest: JSON.stringify(llm.requests.at(-1)?.messages) };
}

const ofType = (events: Iterable<Event>, type: Event['type']) => [...events].filter((event) => event.type === type);
const resultsIn = (events: Iterable<Event>) =>
  [...events].filter((event) => event.type === 'observation' || event.type === 'agent-error');

/** A model that says more of its calls than a script can. */
function withStates(llm: LLM, callStates: Completion['callStates']): LLM {
  return {
    ...llm,
    complete: async (request) => ({ ...(await llm.complete(request)), ...(callStates && { callStates }) }),
  };
}

describe.each(['length', 'interrupted', 'paused', 'other'] as const)(
  'an answer that ended with `%s`',
  (finishReason) => {
    test('has its whole calls run, and the cut one answered', async () => {
      const { conversation, reads, outcome, lastRequest } = await ran([
        { text: 'I read.', toolCalls: [call('a'), call('b'), cutCall], finishReason },
        'Done.',
      ]);
      expect(reads).toEqual(['a', 'b']);
      expect(outcome).toMatchObject({ status: 'finished', answer: 'Done.', iterations: 2 });
      const actions = ofType(conversation.events, 'action');
      expect(actions).toMatchObject([{}, {}, { executable: false, toolCall: { arguments: '{"path":"/etc/pas' } }]);
      expect(actions[0]).not.toHaveProperty('executable');
      const cut = resultsIn(conversation.events).find(({ actionId }) => actionId === actions[2]?.id);
      expect(cut).toMatchObject({ error: expect.stringContaining('Nothing of this call ran. Send smaller parts') });
      expect(lastRequest).toContain('Nothing of this call ran');
    });

    test('has no call run without one byte of arguments, or with text that has to be repaired', async () => {
      const { reads } = await ran([
        { toolCalls: [{ name: 'read', arguments: '' }], finishReason },
        { toolCalls: [{ name: 'read', arguments: "{'path': 'a',}" }], finishReason },
        'Done.',
      ]);
      expect(reads).toEqual([]);
    });

    test('has no last call run whose arguments came parsed', async () => {
      const script = [{ toolCalls: [call('a'), call('b')], finishReason }, 'Done.'];
      const parsed = await open(withStates(scriptedLLM({ script }), ['parsed', 'parsed']));
      await parsed.conversation.run();
      expect(parsed.reads).toEqual(['a']);
    });
  },
);

test('a call that the wire calls cut is not run, also after a natural end', async () => {
  const llm = scriptedLLM({ script: [{ toolCalls: [call('a')] }, 'Done.'] });
  const { conversation, reads } = await open(withStates(llm, ['cut']));
  expect(await conversation.run()).toMatchObject({ status: 'finished' });
  expect(reads).toEqual([]);
  expect(resultsIn(conversation.events)).toMatchObject([{ error: expect.stringContaining('not complete') }]);
});

test('after a natural end a call without arguments runs, and one that has to be repaired', async () => {
  const { reads } = await ran([
    { toolCalls: [{ name: 'read', arguments: '' }] },
    { toolCalls: [{ name: 'read', arguments: "{'path': 'a',}" }] },
    'Done.',
  ]);
  expect(reads).toEqual(['nothing', 'a']);
});

test('a model that hands over parsed arguments as they are has its last call not run in an answer that was cut', async () => {
  const toolCalls = [{ id: 'c', name: 'read', arguments: { path: 'a' } }] as never;
  const cut = { message: { role: 'assistant' as const, content: [], toolCalls }, finishReason: 'length' as const };
  const script = scriptedLLM({ script: () => 'Done.' });
  let asked = 0;
  const llm: LLM = {
    model: 'parses',
    complete: async (request) => {
      const completion = await script.complete(request);
      return asked++ === 0 ? { ...completion, ...cut } : completion;
    },
  };
  const { conversation, reads } = await open(llm);
  expect(await conversation.run()).toMatchObject({ status: 'finished' });
  expect(reads).toEqual([]);
});

describe('the result of a cut call', () => {
  const outputTokens = 700;
  const usage = { uncachedInputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens };
  const cut = { toolCalls: [cutCall], finishReason: 'length' } as const;

  test.each<{ what: string; answer: ScriptedAnswer; maxOutputTokens?: number; says: string }>([
    { what: 'the limit that was asked for', answer: cut, maxOutputTokens: 3_000, says: 'at its limit of 3000 tokens,' },
    { what: "the adapter's limit, as counted", answer: { ...cut, usage }, says: 'at its limit of 700 tokens,' },
    { what: 'no number where none is known', answer: { ...cut, usageIsEstimated: true }, says: 'at its limit, before' },
    {
      what: 'that the server broke it off',
      answer: { ...cut, finishReason: 'interrupted' },
      says: 'Your answer was broken off by the server,',
    },
  ])('says $what', async ({ answer, says, ...options }) => {
    const { lastRequest } = await ran([answer, 'Done.'], options);
    expect(lastRequest).toContain(says);
  });
});

test('a cut call is never open in the log: nobody is asked about it, and a later run does not carry it out', async () => {
  const script = [{ toolCalls: [call('a'), call('b')], finishReason: 'length' as const }, 'Done.'];
  const llm = withStates(scriptedLLM({ script }), ['complete', 'cut']);
  const { conversation, reads } = await open(llm, { confirmation: 'always' });
  const outcome = await conversation.run();
  expect(outcome).toMatchObject({
    status: 'waiting-for-confirmation',
    waiting: [{ toolCall: { arguments: '{"path":"a"}' } }],
  });
  expect(conversation.waitingActions).toHaveLength(1);
  // Whole or not is not seen in its text.
  expect(ofType(conversation.events, 'action')).toMatchObject([{}, { executable: false }]);
  await conversation.confirm();
  expect(await conversation.run()).toMatchObject({ status: 'finished' });
  expect(reads).toEqual(['a']);
});

describe('a refusal', () => {
  const refused = { text: 'I', toolCalls: [call('a'), cutCall], finishReason: 'content-filter' as const };

  test('has none of its calls run, and none open in the log', async () => {
    const { conversation, reads, outcome, llm, lastRequest } = await ran([refused, 'Done.']);
    expect(reads).toEqual([]);
    expect(outcome).toMatchObject({ status: 'finished', answer: 'Done.' });
    expect(ofType(conversation.events, 'action')).toEqual([]);
    expect(ofType(conversation.events, 'broken-response')).toMatchObject([
      {
        content: [{ text: 'I' }],
        finishReason: 'content-filter',
        toolCalls: [
          { name: 'read', arguments: '{"path":"a"}' },
          { name: 'read', arguments: '{"path":"/etc/pas' },
        ],
      },
    ]);
    expect(llm.requests).toHaveLength(2);
    expect(lastRequest).toContain('The provider refused this request');
    expect(lastRequest).not.toContain('/etc/pas');
  });

  test('twice in a row ends the run, and a later run goes on from the log', async () => {
    const llm = scriptedLLM({ script: [refused, refused, 'Done.'] });
    const { conversation, reads } = await open(llm);
    await expect(conversation.run()).rejects.toMatchObject({ cause: { code: 'content-policy' } });
    const resumed = await conversation.fork();
    expect(await resumed.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
    expect(reads).toEqual([]);
  });
});

describe('an answer that was cut in its words', () => {
  const part = (text: string, finishReason: 'length' | 'interrupted' | 'paused' = 'length') => ({ text, finishReason });

  test('is continued, and its parts are one answer', async () => {
    const { outcome, llm, lastRequest } = await ran([part('One, '), part('two, ', 'interrupted'), 'three.']);
    expect(outcome).toMatchObject({ status: 'finished', answer: 'One, two, three.', iterations: 3 });
    expect(llm.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user' });
    expect(lastRequest).toContain('was broken off by the server. Go on exactly where it ends');
  });

  test('is whole if the model ends with nothing to add, for a later run too', async () => {
    const { conversation, outcome } = await ran([part('All of it.'), { text: '' }]);
    expect(outcome).toMatchObject({ status: 'finished', answer: 'All of it.', iterations: 2 });
    expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'All of it.' });
  });

  test('before its first word is asked for in fewer words', async () => {
    const { outcome, lastRequest } = await ran([part(''), 'Done.'], { maxOutputTokens: 3_000 });
    expect(outcome).toMatchObject({ answer: 'Done.' });
    expect(lastRequest).toContain('cut off before its first word: it ended at its limit of 3000 tokens');
  });

  test.each(['length', 'interrupted', 'paused'] as const)(
    'by `%s` is continued three times in a row; then the run ends as incomplete, and a later one goes on',
    async (finishReason) => {
      const script: Script = (_request, index) => (index < 4 ? part(`${index},`, finishReason) : 'end.');
      const { conversation, outcome, llm } = await ran(script);
      expect(outcome).toEqual({ status: 'incomplete', finishReason, iterations: 4, condensations: 0 });
      expect(llm.requests).toHaveLength(4);
      const resumed = await conversation.fork();
      expect(await resumed.run()).toMatchObject({ status: 'finished', answer: '0,1,2,3,end.' });
    },
  );

  test('or in its only call counts the same, and an answer with a whole call begins anew', async () => {
    const cut = { toolCalls: [cutCall], finishReason: 'length' as const };
    const whole = { toolCalls: [call('a')], finishReason: 'length' as const };
    const { outcome, reads } = await ran([cut, part('a'), cut, whole, cut, cut, cut, part('b')]);
    expect(outcome).toMatchObject({ status: 'incomplete', iterations: 8 });
    expect(reads).toEqual(['a']);
  });

  test('by `paused` is sent back as it is, without a word of the agent', async () => {
    const { outcome, llm } = await ran([part('I search', 'paused'), ' and find.']);
    expect(outcome).toMatchObject({ status: 'finished', answer: 'I search and find.' });
    expect(llm.requests[1]?.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: 'I search' }] },
    ]);
  });

  test('by `paused` stays without a word of the agent in a later run', async () => {
    const llm = scriptedLLM({ script: (_, index) => (index < 4 ? part('a', 'paused') : 'b') });
    const { conversation } = await open(llm);
    await conversation.run();
    expect(await conversation.run()).toMatchObject({ answer: 'aaaab' });
    expect(llm.requests.at(-1)?.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  });
});

test('words under a reason that only the provider knows are an answer, and the outcome says so', async () => {
  const { outcome } = await ran([{ text: 'Done.', finishReason: 'other' }]);
  expect(outcome).toMatchObject({ status: 'finished', answer: 'Done.', finishReason: 'other' });
  expect((await ran(['Done.'])).outcome).not.toHaveProperty('finishReason');
});
