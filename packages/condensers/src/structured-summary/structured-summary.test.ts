import type { Event, Message } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { InvalidRequestError, ServiceUnavailableError } from '@palimpsest/llm-adapters';
import type { CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer, ScriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, NoCondensationAvailableError, View } from '@palimpsest/view';
import { condenserContract } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { contractSeeds } from '../../test-support/contract-seeds.js';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { stateSummaryFields } from './state-summary.js';
import { structuredSummaryCondenser } from './structured-summary.js';
import type { StructuredSummaryOptions } from './structured-summary.js';

const tool = 'create_state_summary';
const state = {
  user_context: 'Make it fast.',
  completed_tasks: 'Measured it.',
  pending_tasks: 'Make the parser lazy.',
};
const call = (input: Readonly<Record<string, unknown>> | string): ScriptedAnswer => ({
  toolCalls: [{ name: tool, arguments: input }],
});
const refusal = new InvalidRequestError('tool_choice forces tool use, which is not possible here', { provider: 'x' });

function answering(answer: ScriptedAnswer, facts: Partial<Pick<LLM, 'facts'>> = {}): ScriptedLLM {
  return Object.assign(scriptedLLM({ script: () => answer }), facts);
}

/** Steps of two events, about 100 tokens each. */
function session(steps: number) {
  const log = logBuilder();
  log.user('Make it fast.');
  for (let step = 1; step <= steps; step++)
    log.call('read_file', { path: `src/${step}.ts` }, `line of ${step}\n`.repeat(30));
  return log;
}

async function condense(options: StructuredSummaryOptions, events: readonly Event[]) {
  const attempts: { outcome: string; reason: string; data?: Readonly<Record<string, unknown>> }[] = [];
  const view = View.fromEvents(events);
  const result = await structuredSummaryCondenser(options).condense(view, {
    report: (attempt) => void attempts.push(attempt),
  });
  return { view, result, attempts };
}

async function summarised(options: StructuredSummaryOptions, events: readonly Event[]) {
  const { result } = await condense(options, events);
  if (!isCondensation(result)) throw new Error('nothing was summarised');
  const view = View.fromEvents([...events, result]);
  return { condensation: result, summary: result.summary ?? '', view };
}

function promptOf(request: CompletionRequest | undefined): string {
  const texts = (request?.messages ?? []).flatMap(({ content }: Message) =>
    content.map((part) => (part.type === 'text' ? part.text : '')),
  );
  return texts.join('\n');
}

describe('what the model is asked', () => {
  test('one call of a tool with the 18 fields, forced, and not streamed', async () => {
    const llm = answering(call(state));
    await summarised({ llm, maxSize: 20 }, session(30).events);
    expect(llm.requests).toHaveLength(1);
    const [request] = llm.requests;
    expect(request?.toolChoice).toEqual({ tool });
    expect(request?.onDelta).toBeUndefined();
    expect(request?.tools).toHaveLength(1);
    const schema = request?.tools?.[0]?.inputSchema as {
      properties: Record<string, { type: string }>;
      required: string[];
    };
    expect(Object.keys(schema.properties)).toEqual([
      'user_context',
      'completed_tasks',
      'pending_tasks',
      'current_state',
      'files_modified',
      'function_changes',
      'data_structures',
      'dependencies',
      'tests_written',
      'tests_passing',
      'failing_tests',
      'error_messages',
      'branch_created',
      'branch_name',
      'commits_made',
      'pr_created',
      'pr_status',
      'other_relevant_context',
    ]);
    expect(Object.values(schema.properties).every(({ type }) => type === 'string')).toBe(true);
    expect(schema.required).toEqual(['user_context', 'completed_tasks', 'pending_tasks']);
    expect(promptOf(request)).toContain('read_file: {"path":"src/5.ts"}');
    expect(promptOf(request)).toContain('line of 5');
  });

  test('a model that is known to refuse forced calls is asked by a response format at once', async () => {
    const known = scriptedLLM({ script: () => ({ text: JSON.stringify(state) }) });
    const facts = { acceptsForcedTools: false } as NonNullable<LLM['facts']>;
    const { summary } = await summarised({ llm: Object.assign(known, { facts }), maxSize: 20 }, session(30).events);
    expect(summary).toContain('Make the parser lazy.');
    expect(known.requests).toHaveLength(1);
    const [request] = known.requests;
    expect(request?.tools).toBeUndefined();
    expect(request?.responseFormat?.name).toBe(tool);
    // A provider that enforces a format wants every member required.
    expect(request?.responseFormat?.schema['required']).toEqual(stateSummaryFields);
  });

  test('one that refuses the call is asked by a format, and one that refuses both by words', async () => {
    const byFormat = scriptedLLM({
      script: (request) => (request.toolChoice === undefined ? { text: JSON.stringify(state) } : refusal),
    });
    await summarised({ llm: byFormat, maxSize: 20 }, session(30).events);
    expect(byFormat.requests).toHaveLength(2);

    const byWords = scriptedLLM({
      script: (request) =>
        request.toolChoice === undefined && request.responseFormat === undefined
          ? { text: `Here it is:\n\`\`\`json\n${JSON.stringify(state)}\n\`\`\`` }
          : refusal,
    });
    const { summary } = await summarised({ llm: byWords, maxSize: 20 }, session(30).events);
    expect(byWords.requests).toHaveLength(3);
    expect(promptOf(byWords.requests[2])).toContain('"other_relevant_context"');
    expect(summary).toContain('Measured it.');
  });

  test('any other error is not answered by another way of asking', async () => {
    const llm = answering(new ServiceUnavailableError('overloaded', { provider: 'x' }));
    const { view, result } = await condense({ llm, maxSize: 20 }, session(30).events);
    expect(result).toBe(view);
    expect(llm.requests).toHaveLength(1);
  });

  test('a prompt of your own is what it reads', async () => {
    const llm = answering(call(state));
    const prompt = 'Mine: {% for event in events %}[{{ event.number }}]{% endfor %}';
    await summarised({ llm, maxSize: 20, modelCall: { prompt } }, session(30).events);
    expect(promptOf(llm.requests[0])).toMatch(/^Mine: \[1]\[2]/);
  });
});

describe('what it writes', () => {
  test('every field has its line, the empty ones too', async () => {
    const { summary } = await summarised({ llm: answering(call(state)), maxSize: 20 }, session(30).events);
    expect(summary).toBe(
      [
        '# State Summary',
        '## Core Information',
        '**User context**: Make it fast.',
        '**Completed tasks**: Measured it.',
        '**Pending tasks**: Make the parser lazy.',
        '**Current state**:',
        '## Code Changes',
        '**Files modified**:',
        '**Function changes**:',
        '**Data structures**:',
        '**Dependencies**:',
        '## Testing Status',
        '**Tests written**:',
        '**Tests passing**:',
        '**Failing tests**:',
        '**Error messages**:',
        '## Version Control',
        '**Branch created**:',
        '**Branch name**:',
        '**Commits made**:',
        '**Pull request created**:',
        '**Pull request status**:',
        '## Additional Context',
        '**Other relevant context**:',
      ].join('\n\n'),
    );
  });

  test('a value of each field is there', async () => {
    const full = Object.fromEntries(stateSummaryFields.map((field) => [field, `value of ${field}`]));
    const { summary } = await summarised({ llm: answering(call(full)), maxSize: 20 }, session(60).events);
    expect(stateSummaryFields).toHaveLength(18);
    for (const field of stateSummaryFields) expect(summary).toContain(`: value of ${field}`);
  });

  test('truth values, lists, numbers and nothing are read as text', async () => {
    const loose = {
      ...state,
      tests_written: true,
      failing_tests: ['a.test.ts', 'b.test.ts'],
      pr_status: null,
      current_state: 7,
    };
    const { summary } = await summarised({ llm: answering(call(loose)), maxSize: 20 }, session(30).events);
    expect(summary).toContain('**Tests written**: true');
    expect(summary).toContain('**Failing tests**:\n- a.test.ts\n- b.test.ts');
    expect(summary).toContain('**Current state**: 7');
    expect(summary).toContain('**Pull request status**:\n');
  });

  test('the condensation says who wrote it, why, how large all was, and what it cost', async () => {
    const prices = { input: 1, cacheRead: 0.1, cacheWrite: 1, output: 2 };
    const llm = scriptedLLM({ script: () => call(state), model: 'small', prices });
    const log = session(30);
    const { view: before } = await condense({ llm, maxSize: 20 }, log.events);
    const { condensation, view } = await summarised({ llm, maxSize: 20 }, log.events);
    expect(condensation.metadata).toMatchObject({
      condenser: 'structuredSummary',
      reason: 'events',
      tokensBefore: before.tokens(),
      tokensAfter: view.tokens(),
      model: 'small',
      costUsd: expect.any(Number) as unknown,
      usage: expect.objectContaining({ outputTokens: expect.any(Number) as unknown }) as unknown,
    });
  });

  test('the previous summary is fed whole, and replaced', async () => {
    const log = session(30);
    const llm = scriptedLLM({
      script: (_, index) => call({ ...state, current_state: `round ${index} ${'x'.repeat(1_500)}` }),
    });
    for (let round = 0; round < 4; round++) {
      const { result } = await condense({ llm, maxSize: 20 }, log.events);
      if (!isCondensation(result)) throw new Error('nothing was summarised');
      log.add(result);
      const summaries = [...View.fromEvents(log.events).events].filter(({ type }) => type === 'condensation-summary');
      expect(summaries).toMatchObject([{ summary: expect.stringContaining(`round ${round} `) as unknown }]);
      if (round > 0) expect(promptOf(llm.requests[round])).toContain(`round ${round - 1} ${'x'.repeat(1_500)}`);
      for (let step = 0; step < 12; step++) log.call('read_file', { path: `${round}/${step}` }, 'text\n'.repeat(60));
    }
  });
});

describe('the selection', () => {
  test.each([
    { length: 2, keepFirst: 4 },
    { length: 3, keepFirst: 4 },
    { length: 6, keepFirst: 4 },
    { length: 9, keepFirst: 4 },
    { length: 9, keepFirst: 0 },
  ])(
    'known fault of the original: a request on $length events with keepFirst $keepFirst makes room, and does not fail',
    async ({ length, keepFirst }) => {
      const log = logBuilder();
      for (let index = 0; index < length; index++) log.agent('word '.repeat(500));
      log.request();
      const asked = condense({ llm: answering(call(state)), keepFirst }, log.events);
      const { view, result } = await asked;
      if (!isCondensation(result)) throw new Error('a view in answer to a request');
      expect(View.fromEvents([...log.events, result]).tokens()).toBeLessThan(view.tokens());
    },
  );

  test('known fault of the original: at the limit of keepFirst the numbers are refused, and never fail later', () => {
    const llm = answering(call(state));
    expect(() => structuredSummaryCondenser({ llm, maxSize: 4, keepFirst: 1 })).toThrow(InvalidCondenserConfigError);
    expect(() => structuredSummaryCondenser({ llm, maxSize: 6, keepFirst: 1 })).not.toThrow();
  });
});

describe('fails closed', () => {
  const { pending_tasks: _, ...withoutPending } = state;
  const failures: readonly { readonly what: string; readonly answer: ScriptedAnswer; readonly kind: string }[] = [
    { what: 'says no tool call', answer: 'I would rather not.', kind: 'invalid' },
    { what: 'says nothing', answer: { text: '' }, kind: 'empty' },
    { what: 'calls another tool', answer: { toolCalls: [{ name: 'bash', arguments: {} }] }, kind: 'invalid' },
    { what: 'writes broken JSON', answer: call('{"user_context": "a'), kind: 'invalid' },
    { what: 'writes a list', answer: call('[1]'), kind: 'invalid' },
    { what: 'leaves out a required field', answer: call(withoutPending), kind: 'invalid' },
    { what: 'nests objects', answer: call({ ...state, files_modified: { 'a.ts': 'new' } }), kind: 'invalid' },
    {
      what: 'fills in nothing',
      answer: call({ user_context: '', completed_tasks: ' ', pending_tasks: '' }),
      kind: 'empty',
    },
    {
      what: 'is cut off',
      answer: { toolCalls: [{ name: tool, arguments: state }], finishReason: 'length' },
      kind: 'truncated',
    },
    { what: 'is filtered', answer: { text: '{}', finishReason: 'content-filter' }, kind: 'refused' },
    {
      what: 'says more than it replaces',
      answer: call({ ...state, current_state: 'x'.repeat(100_000) }),
      kind: 'too-large',
    },
    { what: 'throws', answer: new Error('socket hang up'), kind: 'error' },
    { what: 'refuses every way', answer: refusal, kind: 'error' },
  ];

  test.each(failures)(
    'known fault of the original: a model that $what leaves the history, and it is reported',
    async ({ answer, kind }) => {
      const { view, result, attempts } = await condense({ llm: answering(answer), maxSize: 20 }, session(15).events);
      expect(result).toBe(view);
      expect(attempts).toMatchObject([{ outcome: 'failed', data: { condenser: 'structuredSummary', kind } }]);
      expect(attempts[0]?.reason).not.toBe('');
    },
  );

  test('on a request the error says why', async () => {
    const log = session(15);
    log.request();
    const asked = condense({ llm: answering('I would rather not.'), maxSize: 20 }, log.events);
    await expect(asked).rejects.toThrow(NoCondensationAvailableError);
  });

  test('a model that never answers a request is not asked again: the user has waited once', async () => {
    let asked = 0;
    const llm: LLM = { model: 'silent', complete: () => (asked++, new Promise(() => {})) };
    const log = session(15);
    log.request();
    await expect(condense({ llm, modelCall: { timeoutMs: 5 } }, log.events)).rejects.toThrow('no answer within 5 ms');
    expect(asked).toBe(1);
  });

  test('all ways of asking share one deadline', async () => {
    let asked = 0;
    const llm: LLM = {
      model: 'slow',
      complete: ({ signal }) =>
        new Promise((_, reject) => {
          // It refuses the first way, and then says nothing more, not even when it is told to stop.
          if (asked++ === 0) reject(refusal);
          else signal?.addEventListener('abort', () => {});
        }),
    };
    const { view, result, attempts } = await condense(
      { llm, maxSize: 20, modelCall: { timeoutMs: 20 } },
      session(15).events,
    );
    expect(result).toBe(view);
    expect(asked).toBe(2);
    expect(attempts).toMatchObject([{ data: { kind: 'timeout' } }]);
  });

  test.each([
    { modelCall: { timeoutMs: 0 } },
    { modelCall: { maxEventCharacters: 1 } },
    { modelCall: { maxOutputTokens: 0.5 } },
    { modelCall: { prompt: '{{ nothing }}' } },
    { maxSize: 2 },
  ])('%j is refused', (options) => {
    expect(() => structuredSummaryCondenser({ llm: answering('x'), ...options })).toThrow(InvalidCondenserConfigError);
  });
});

describe('contract', () => {
  condenserContract({
    test,
    seeds: contractSeeds,
    create: () => structuredSummaryCondenser({ llm: answering(call(state)), maxSize: 20 }),
    createHanging: () =>
      structuredSummaryCondenser({ llm: { model: 'silent', complete: () => new Promise(() => {}) }, maxSize: 20 }),
    actsOn: session(40).events,
  });
});
