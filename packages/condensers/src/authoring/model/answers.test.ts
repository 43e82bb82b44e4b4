import { ContextWindowExceededError, InvalidRequestError } from '@palimpsest/llm-adapters';
import type { LLM } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer } from '@palimpsest/llm-adapters/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CondenserModelError } from '../definition/errors.js';
import { isWrittenCall, structuredAnswer, wordsOf } from './answers.js';
import type { AnswerWay } from './answers.js';

const question = {
  name: 'name_things',
  description: 'Names things.',
  schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
  looseSchema: { type: 'object', properties: { a: { type: 'string' } } },
};
const everyWay: readonly AnswerWay[] = ['tool', 'format', 'instruction'];
const refusal = new InvalidRequestError('not with this model', { provider: 'x' });

const ask = (llm: LLM, options: { ways?: readonly AnswerWay[]; timeoutMs?: number; signal?: AbortSignal } = {}) => {
  const { ways = everyWay, timeoutMs = 1_000, signal } = options;
  return structuredAnswer(llm, { prompt: 'What is it?', question, ways, maxOutputTokens: 50 }, { timeoutMs, signal });
};

test.each<{ what: string; answer: ScriptedAnswer; value: unknown }>([
  { what: 'a call', answer: { toolCalls: [{ name: 'name_things', arguments: { a: 'b' } }] }, value: { a: 'b' } },
  {
    what: 'a call beside words and other calls',
    answer: {
      text: 'So: {"a": "c"}',
      toolCalls: [
        { name: 'other', arguments: { a: 'd' } },
        { name: 'name_things', arguments: { a: 'b' } },
      ],
    },
    value: { a: 'b' },
  },
  { what: 'JSON in words', answer: '{"a": "b"}', value: { a: 'b' } },
  { what: 'fenced JSON', answer: 'Here:\n```json\n{"a": "b"}\n```\nDone.', value: { a: 'b' } },
  { what: 'JSON among words', answer: 'The answer is {"a": "b"} and no other.', value: { a: 'b' } },
  { what: 'JSON after thinking aloud', answer: '<think>{"a": 1}?\nNo.</think>\n{"a": "b"}', value: { a: 'b' } },
  { what: 'anything that is JSON', answer: '[1, 2]', value: [1, 2] },
])('reads $what', async ({ answer, value }) => {
  expect((await ask(scriptedLLM({ script: () => answer }))).value).toEqual(value);
});

test.each<{ what: string; answer: ScriptedAnswer; kind: string }>([
  { what: 'words', answer: 'No.', kind: 'invalid' },
  { what: 'broken JSON', answer: '{"a": ', kind: 'invalid' },
  { what: 'nothing', answer: { text: '\n' }, kind: 'empty' },
  { what: 'another call', answer: { toolCalls: [{ name: 'other' }] }, kind: 'invalid' },
  { what: 'JSON beside another call', answer: { text: '{"a": 1}', toolCalls: [{ name: 'other' }] }, kind: 'invalid' },
  { what: 'a call as text', answer: '<tool_call>\n{"name": "other", "arguments": {}}\n</tool_call>', kind: 'invalid' },
  {
    what: 'half a call',
    answer: { toolCalls: [{ name: 'name_things', arguments: '{"a": "b' }], finishReason: 'other' },
    kind: 'truncated',
  },
  { what: 'half an answer', answer: { text: '{"a": "b"}', finishReason: 'interrupted' }, kind: 'truncated' },
  {
    what: 'a call with broken arguments',
    answer: { text: '{"a": 1}', toolCalls: [{ name: 'name_things', arguments: '{' }] },
    kind: 'invalid',
  },
])('$what is a failure, with what it cost', async ({ answer, kind }) => {
  const failure = await ask(scriptedLLM({ script: () => answer })).catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind, account: { model: 'scripted', usage: expect.anything() as unknown } });
});

describe('the ways', () => {
  const waysOf = async (refused: readonly AnswerWay[], llmFacts?: Partial<NonNullable<LLM['facts']>>) => {
    const asked: AnswerWay[] = [];
    const llm = scriptedLLM({
      script: ({ toolChoice, tools, responseFormat }) => {
        const way = toolChoice === undefined ? (responseFormat === undefined ? 'instruction' : 'format') : 'tool';
        expect(tools?.length ?? 0).toBe(way === 'tool' ? 1 : 0);
        asked.push(way);
        return refused.includes(way) ? refusal : '{"a": "b"}';
      },
    });
    const answer = await ask(
      Object.assign(llm, llmFacts === undefined ? {} : { facts: llmFacts as NonNullable<LLM['facts']> }),
    );
    return { asked, way: answer.way };
  };

  test('the first one that is not refused answers', async () => {
    expect(await waysOf([])).toEqual({ asked: ['tool'], way: 'tool' });
    expect(await waysOf(['tool'])).toEqual({ asked: ['tool', 'format'], way: 'format' });
    expect(await waysOf(['tool', 'format'])).toEqual({ asked: everyWay, way: 'instruction' });
  });

  test('a forced call is not tried where it is known to be refused', async () => {
    expect(await waysOf([], { acceptsForcedTools: false })).toEqual({ asked: ['format'], way: 'format' });
    expect(await waysOf([], { acceptsForcedTools: true })).toEqual({ asked: ['tool'], way: 'tool' });
  });

  test('where all are refused, the last refusal is the reason', async () => {
    await expect(waysOf(everyWay)).rejects.toMatchObject({ kind: 'error', cause: refusal });
  });

  test('what is not a refusal of the request ends it', async () => {
    const error = new ContextWindowExceededError('too long', { provider: 'x', kind: 'input' });
    const llm = scriptedLLM({ script: () => error });
    await expect(ask(llm)).rejects.toMatchObject({ kind: 'overflow' });
    expect(llm.requests).toHaveLength(1);
  });

  test('every request has the limit, the prompt first, and no listener', async () => {
    const llm = scriptedLLM({ script: [refusal, refusal, '{"a": "b"}'] });
    await ask(llm);
    for (const { messages, maxOutputTokens, onDelta } of llm.requests) {
      expect(messages).toMatchObject([
        { role: 'user', content: [{ text: expect.stringMatching(/^What is it\?\n\n/) as unknown }] },
      ]);
      expect([maxOutputTokens, onDelta]).toEqual([50, undefined]);
    }
  });
});

describe('an abort', () => {
  const hanging: LLM = { model: 'silent', complete: () => new Promise(() => {}) };

  test('before or during the call ends it with its own reason', async () => {
    const reason = new Error('nobody waits');
    await expect(ask(hanging, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const asked = ask(hanging, { signal: controller.signal });
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  test('by the deadline comes once for all ways together', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    const slow: LLM = {
      model: 'slow',
      complete: () =>
        asked++ === 0 ? new Promise((_, reject) => setTimeout(() => reject(refusal), 60)) : new Promise(() => {}),
    };
    let failure: unknown;
    void ask(slow, { timeoutMs: 100 }).catch((error: unknown) => (failure = error));
    await vi.advanceTimersByTimeAsync(99);
    expect([asked, failure]).toEqual([2, undefined]);
    await vi.advanceTimersByTimeAsync(1);
    expect(failure).toMatchObject({ kind: 'timeout', account: { model: 'slow' } });
  });

  test('by the deadline is a failure of the model', async () => {
    const failure = await ask(hanging, { timeoutMs: 1 }).catch((error: unknown) => error);
    expect(CondenserModelError.isInstance(failure) && failure.kind).toBe('timeout');
  });
});

const request = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Summarise.' }] }] } as const;
const words = async (answer: ScriptedAnswer) => wordsOf(await scriptedLLM({ script: [answer] }).complete(request));

const xml =
  '<function_calls>\n<invoke name="read">\n<parameter name="path">a.ts</parameter>\n</invoke>\n</function_calls>';
const json = '<tool_call>\n{"name": "read", "arguments": {"path": "a.ts"}}\n</tool_call>';
const qwen = '<function=read>\n<parameter=path>\na.ts\n</parameter>\n</function>';

test.each([
  ['a block of calls', xml],
  ['a call with a name space', xml.replaceAll(/(?<=<\/?)(?=function|invoke|parameter)/g, 'x:')],
  ['a call without its block', '<invoke name="read">\n</invoke>'],
  ['JSON in tags', json],
  ['JSON in tags on one line', json.replaceAll('\n', '')],
  ['a function in tags', qwen],
  ['a function with JSON', '<function=read>{"path":"a.ts"}</function>'],
  ['a call of Mistral', '[TOOL_CALLS] [{"name": "read", "arguments": {}}]'],
  ['words before a call', `Let me look at the file first.\n\n${xml}`],
  ['words before an indented call', `I look.\n  ${json}\n`],
  ['words after a call', `${json}\n\nI have read it.`],
  ['a call that is cut', json.slice(0, 30)],
  ['words before a call that is cut', `I look.\n${qwen.slice(0, 24)}`],
  ['nothing but a block of code with a call', `\`\`\`xml\n${xml}\n\`\`\``],
  ['words about one call before another', `The parser of \`<tool_call>\` is done.\n${json}`],
])('%s is a written call, and no answer', async (_what, text) => {
  expect(isWrittenCall(text)).toBe(true);
  await expect(words(text)).rejects.toMatchObject({ kind: 'invalid', account: { model: 'scripted' } });
});

test.each([
  [
    'prose about tags',
    'The parser reads <tool_call> and </tool_call>, and <function=read> too. Next: <invoke name="x">',
  ],
  [
    'a line that begins with a tag',
    '<tool_call> tags are parsed in read-calls.ts.\n<function_calls> is not supported yet.',
  ],
  ['a block of code at its end', `The test has this answer:\n\n\`\`\`xml\n${xml}\n\`\`\``],
  ['a block of code in its middle', `The test has:\n\`\`\`\n${json}\n\`\`\`\nIt fails.`],
  ['a block of code first', `\`\`\`\n${json}\n\`\`\`\nis what the model wrote; \`</tool_call>\` is missing.`],
  ['a quoted line in its middle', `The model wrote\n${json}\nand the parser failed.`],
  ['a list of tags', '- `<tool_call>`: done\n- `<function=read>`: to do\n- `</function>`'],
  ['code that mentions one', 'callStart = /<tool_call\\b|<function=/ is the pattern.\nPending: <function=>'],
  ['half a word', 'S'],
])('%s is none, and a summary may quote it', async (_what, text) => {
  expect(isWrittenCall(text)).toBe(false);
  expect(await words(text)).toBe(text);
});

test.each([
  'I can’t help with that.',
  "I'm sorry, but I cannot assist with that request.",
  'I am unable to provide a summary of this conversation.',
  'Sorry, I can’t summarize this.',
])('%j is a refusal', async (text) => {
  await expect(words(text)).rejects.toMatchObject({ kind: 'refused' });
});

test.each([
  'I cannot reach the registry, so the install is still to be done.',
  `I cannot provide the release yet: ${'a test fails; '.repeat(40)}`,
  'The user said: I cannot help with that.',
])('%j is none', async (text) => {
  expect(await words(text)).toBe(text.trim());
});

test('a call makes words no answer, whatever they say', async () => {
  const answer = { text: 'Let me look at the file first.', toolCalls: [{ name: 'read' }] };
  await expect(words(answer)).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining("'read'") });
  await expect(words({ text: ' ' })).rejects.toMatchObject({ kind: 'empty' });
});
