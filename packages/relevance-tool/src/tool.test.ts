import { addressOf, EventLog, toolDefinition } from '@palimpsest/events';
import type { ActionEvent, Event, ToolOutput } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { relevanceDirectives } from './directive.js';
import { logOf, toolContext } from '../test-support/minimal-loop.js';
import { relevanceTool } from './tool.js';
import type { RelevanceAnswer, RelevanceToolOptions } from './tool.js';

const big = 'a line of output that nobody needs any more\n'.repeat(40);
const summary_text = 'Superseded by a newer read; the function is at line 12.';

/** A log with an old result, a newer one, and a request that has just been made. */
function session(): LogBuilder & { readonly request: (input: object) => ActionEvent } {
  const log = logBuilder();
  return Object.assign(log, {
    request: (input: object) => log.action({ name: 'relevance_condenser', input: input as Record<string, unknown> }),
  });
}

async function ask(
  log: LogBuilder,
  request: ActionEvent,
  event_id: string,
  options?: RelevanceToolOptions,
  summary = summary_text,
) {
  const stored = await logOf(log.events);
  const before = stored.length;
  const output = await relevanceTool(options).execute(
    { event_id, summary_text: summary },
    toolContext(stored, request),
  );
  return { stored, appended: stored.slice(before), ...read(output) };
}

function read(output: ToolOutput): { text: string; isError: boolean; answer: RelevanceAnswer } {
  if (typeof output === 'string' || typeof output.content !== 'string') throw new Error('an answer in words');
  return {
    text: output.content,
    isError: output.isError === true,
    answer: output.details as unknown as RelevanceAnswer,
  };
}

describe('the schema', () => {
  const tool = relevanceTool();

  test('takes an id and a summary, and trims them', () => {
    expect(tool.parseInput({ event_id: ' 7k2m9qxa ', summary_text: '  old  ' })).toEqual({
      event_id: '7k2m9qxa',
      summary_text: 'old',
    });
    expect(() => tool.parseInput({ event_id: 'x', summary_text: 'y'.repeat(250) })).not.toThrow();
  });

  test.each([
    ['no summary', { event_id: 'x' }],
    ['no id', { summary_text: 'old' }],
    ['a blank summary', { event_id: 'x', summary_text: ' \n ' }],
    ['a blank id', { event_id: ' ', summary_text: 'old' }],
    ['a summary that is too long', { event_id: 'x', summary_text: 'y'.repeat(251) }],
    ['an id that is no text', { event_id: 7, summary_text: 'old' }],
    ['one field too many', { event_id: 'x', summary_text: 'old', reason: 'because' }],
    ['a list', [{ event_id: 'x', summary_text: 'old' }]],
  ])('refuses %s in words that the model can act on', (_, input) => {
    expect(() => tool.parseInput(input)).toThrow(/Invalid input for 'relevance_condenser'/);
  });

  test('is strict in the definition that a provider is sent, and its limit is the configured one', () => {
    const definition = toolDefinition(relevanceTool({ guardrails: { maxSummaryCharacters: 99 } }));
    expect(definition.name).toBe('relevance_condenser');
    expect(definition.annotations).toEqual({ readOnly: true, repeatable: true, parallel: true });
    expect(definition.inputSchema).toMatchObject({
      type: 'object',
      required: ['event_id', 'summary_text'],
      additionalProperties: false,
      properties: { event_id: { type: 'string' }, summary_text: { type: 'string', minLength: 1, maxLength: 99 } },
    });
    expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
  });

  test('the description states the rules', () => {
    for (const words of ['user', 'instructions', 'event_id', 'Do not repeat', 'in the same response']) {
      expect(tool.description).toContain(words);
    }
    expect(tool.description).not.toContain('recall returns the original');
    expect(relevanceTool({ recall: true }).description).toContain('recall returns the original');
  });
});

describe('a request that is accepted', () => {
  test.each(['observation', 'action', 'label', 'label line', 'tool call'] as const)(
    'names its target by %s',
    async (by) => {
      const log = session();
      log.user('a task');
      const { action, result } = log.call('read', { path: 'a.ts' }, big);
      log.call('read', { path: 'b.ts' }, big);
      const names = {
        observation: result.id,
        action: action.id,
        label: addressOf(result.id),
        'label line': `[event_id: ${addressOf(result.id).toUpperCase()}]`,
        'tool call': action.toolCall.id,
      };
      const request = log.request({});
      const { appended, isError, answer, text } = await ask(log, request, names[by]);
      expect(isError).toBe(false);
      expect(appended).toHaveLength(1);
      const [directive] = appended;
      expect(directive).toMatchObject({
        type: 'relevance/directive',
        source: 'environment',
        requestedEventId: names[by],
        targetEventId: result.id,
        toolCallId: action.toolCall.id,
        summary: summary_text,
        text: `Response redacted: ${summary_text}`,
        requestingActionId: request.id,
        llmResponseId: request.llmResponseId,
        agentStepIndex: 3,
      });
      expect(answer).toEqual({
        accepted: true,
        acceptedEventIds: [names[by]],
        rejectedEventIds: [],
        rejections: [],
        directiveId: directive?.id,
      });
      expect(text).toContain('From the next step on');
      expect(text).toContain('Do not repeat the call');
    },
  );

  test('may mark an error of the framework too', async () => {
    const log = session();
    const failed = log.action('run');
    const error = log.error(failed, big);
    log.call('run');
    const { appended } = await ask(log, log.request({}), error.id);
    expect(appended).toMatchObject([{ targetEventId: error.id }]);
  });

  test('is announced once to those who observe the log, and is no part of what the model reads', async () => {
    const log = session();
    const { result } = log.call('read', {}, big);
    log.call('run');
    const request = log.request({});
    const stored = await logOf(log.events);
    const seen: Event[] = [];
    stored.observe((event) => void seen.push(event));
    await relevanceTool().execute({ event_id: result.id, summary_text }, toolContext(stored, request));
    expect(seen.map(({ type }) => type)).toEqual(['relevance/directive']);
    const view = View.fromEvents(stored);
    expect([...view.events].map(({ id }) => id)).not.toContain(seen[0]?.id);
    expect(relevanceDirectives(view).map(({ id }) => id)).toEqual([seen[0]?.id]);
  });

  test('that is run again, as after a crash, is answered again and recorded once', async () => {
    const log = session();
    const { result } = log.call('read', {}, big);
    log.call('run');
    const request = log.request({});
    const first = await ask(log, request, result.id);
    const again = await relevanceTool().execute(
      { event_id: result.id, summary_text },
      toolContext(first.stored, request),
    );
    expect(read(again)).toMatchObject({ isError: false, text: first.text, answer: first.answer });
    expect(relevanceDirectives(View.fromEvents(first.stored))).toHaveLength(1);
  });

  test('says where the original can be had, when recall is on; the marker can be another', async () => {
    const log = session();
    const { result } = log.call('read', {}, big);
    log.call('run');
    const { appended, text } = await ask(log, log.request({}), result.id, { recall: true, marker: 'Gone: ' });
    expect(appended).toMatchObject([{ text: `Gone: ${summary_text} (recall returns the original)` }]);
    expect(text).toContain('recall returns the original');
  });

  test('in batched mode promises no more than that', async () => {
    const log = session();
    const { result } = log.call('read', {}, big);
    log.call('run');
    const { text } = await ask(log, log.request({}), result.id, { apply: 'batched' });
    expect(text).toContain('or a few steps later together with others');
  });

  test('cannot smuggle a label into the summary', async () => {
    const log = session();
    const { result } = log.call('read', {}, big);
    log.call('run');
    const { appended } = await ask(log, log.request({}), result.id, {}, 'see [event_id: 7k2m9qxa]');
    expect(appended).toMatchObject([{ text: 'Response redacted: see [quoted event id: 7k2m9qxa]' }]);
  });
});

describe('the confirmation message', () => {
  test('is off by default; when on, there is one for each directive, sent after the batch, and none for a repetition', async () => {
    const log = session();
    log.user('a task');
    const { result } = log.call('read', {}, big);
    log.call('run');
    const request = log.request({});
    const { stored, appended } = await ask(log, request, result.id, { confirm: true });
    expect(appended.map(({ type }) => type)).toEqual(['relevance/directive', 'message']);
    await relevanceTool({ confirm: true }).execute({ event_id: result.id, summary_text }, toolContext(stored, request));
    expect([...stored].filter(({ type }) => type === 'message')).toHaveLength(2);

    await stored.append(log.observation(request, 'Accepted.'));
    const messages = View.fromEvents(stored).toMessages();
    expect(messages.slice(-2)).toMatchObject([
      { role: 'tool', content: [{ text: 'Accepted.' }] },
      { role: 'user', content: [{ text: expect.stringContaining(addressOf(result.id)) }] },
    ]);
  });
});

describe('calls at the same time', () => {
  test('on different targets are both recorded, in the order in which they were made', async () => {
    const log = session();
    const a = log.call('read', {}, big).result;
    const b = log.call('read', {}, big).result;
    log.call('run');
    const { actions } = log.batch([{ name: 'relevance_condenser' }, { name: 'relevance_condenser' }]);
    const stored = await logOf(log.events);
    const tool = relevanceTool();
    const outputs = await Promise.all(
      [a, b].map(async ({ id }, index) =>
        tool.execute({ event_id: id, summary_text }, toolContext(stored, actions[index] as ActionEvent)),
      ),
    );
    expect(outputs.map((output) => read(output).isError)).toEqual([false, false]);
    expect(relevanceDirectives(View.fromEvents(stored)).map(({ targetEventId }) => targetEventId)).toEqual([
      a.id,
      b.id,
    ]);
  });

  test('on one target: the first is recorded, the second refused, however slow the store is', async () => {
    const log = session();
    const { result } = log.call('read', {}, big);
    log.call('run');
    const { actions } = log.batch([{ name: 'relevance_condenser' }, { name: 'relevance_condenser' }]);
    const stored = await logOf(log.events);
    const gate = deferred();
    const tool = relevanceTool();
    const outputs = actions.map(async (action) =>
      tool.execute(
        { event_id: result.id, summary_text },
        { ...toolContext(stored, action), append: (event) => gate.promise.then(() => stored.append(event)) },
      ),
    );
    gate.open();
    const answers = (await Promise.all(outputs)).map((output) => read(output).answer);
    expect(answers.map(({ accepted }) => accepted)).toEqual([true, false]);
    expect(answers[1]?.rejections).toMatchObject([{ code: 'already_redacted' }]);
    expect(relevanceDirectives(View.fromEvents(stored))).toHaveLength(1);
  });

  test("an append that fails records nothing, is the caller's error, and does not hold up the next call", async () => {
    const log = session();
    const { result } = log.call('read', {}, big);
    log.call('run');
    const request = log.request({});
    const stored = await logOf(log.events);
    const tool = relevanceTool();
    const broken = { ...toolContext(stored, request), append: async () => Promise.reject(new Error('disk full')) };
    await expect(tool.execute({ event_id: result.id, summary_text }, broken)).rejects.toThrow('disk full');
    const retried = await tool.execute({ event_id: result.id, summary_text }, toolContext(stored, request));
    expect(read(retried).isError).toBe(false);
  });
});

describe('a request that is refused', () => {
  test('appends nothing and gives code and reason to the model and to programs', async () => {
    const log = session();
    log.call('read', {}, big);
    const { appended, text, isError, answer } = await ask(log, log.request({}), 'no-such-id');
    expect(appended).toEqual([]);
    expect(isError).toBe(true);
    expect(text).toMatch(/^Rejected: no-such-id\. Code: unknown_event\. .*last line/);
    expect(answer).toEqual({
      accepted: false,
      acceptedEventIds: [],
      rejectedEventIds: ['no-such-id'],
      rejections: [{ id: 'no-such-id', code: 'unknown_event', reason: expect.any(String) }],
    });
  });

  test('is refused for what is in the log after a restart too', async () => {
    const log = session();
    const { result } = log.call('read', {}, big);
    log.call('run');
    const { stored } = await ask(log, log.request({}), result.id);
    const lines = [...stored].map((event) => JSON.stringify(event));
    const reopened = new EventLog('test');
    await reopened.append(...lines.map((line) => JSON.parse(line) as Event));
    const second = log.request({});
    await reopened.append(second);
    const output = await relevanceTool().execute({ event_id: result.id, summary_text }, toolContext(reopened, second));
    expect(read(output).answer.rejections).toMatchObject([{ code: 'already_redacted' }]);
  });
});

function deferred(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}
