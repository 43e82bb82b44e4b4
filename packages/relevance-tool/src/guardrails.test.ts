import { addressOf } from '@palimpsest/events';
import type { ActionEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { logOf, toolContext } from '../test-support/minimal-loop.js';
import { defaultGuardrails, checkRequest } from './guardrails.js';
import type { RelevanceGuardrails } from './guardrails.js';
import { redactionNote } from './redaction.js';

const big = 'a line of output that nobody needs any more\n'.repeat(40);

async function verdict(
  log: LogBuilder,
  reference: string,
  options: { limits?: Partial<RelevanceGuardrails>; summary?: string; request?: ActionEvent } = {},
) {
  const request = options.request ?? log.action('relevance_condenser');
  const summary = options.summary ?? 'no longer needed';
  const context = toolContext(await logOf(log.events), request);
  const limits = { ...defaultGuardrails, ...options.limits };
  const result = checkRequest({ reference, summary, text: redactionNote(summary) }, context, limits);
  return result.type === 'rejected' ? result.code : result.type;
}

/** Adds what a directive that the tool has recorded looks like. */
function directive(log: LogBuilder, target: { readonly id: string; readonly toolCallId: string }, fields: object = {}) {
  return log.custom('relevance/directive', {
    requestedEventId: target.id,
    targetEventId: target.id,
    toolCallId: target.toolCallId,
    summary: 'no longer needed',
    text: 'Response redacted: no longer needed',
    ...fields,
  });
}

describe('what is never redacted', () => {
  test('instructions, words and summaries', async () => {
    const log = logBuilder();
    const system = log.system(big);
    const user = log.user(big);
    const agent = log.agent(big);
    const latest = log.user(big);
    log.call('run');
    for (const { id } of [system, user, agent, latest]) {
      expect(await verdict(log, id)).toBe('not_maskable');
      expect(await verdict(log, addressOf(id))).toBe('not_maskable');
    }
  });

  test('the reason names the user, so that the model learns the rule', async () => {
    const log = logBuilder();
    const user = log.user(big);
    const context = toolContext(await logOf(log.events), log.action('relevance_condenser'));
    const result = checkRequest({ reference: user.id, summary: 'old', text: 'old' }, context, defaultGuardrails);
    expect(result).toMatchObject({ reason: expect.stringContaining('a message of the user') });
  });

  test('events of the framework, directives among them', async () => {
    const log = logBuilder();
    const { result } = log.call('read', {}, big);
    const events = [
      log.usage(),
      log.pause(),
      log.condensation([]),
      directive(log, { id: 'other', toolCallId: 'other' }),
    ];
    log.call('run');
    for (const { id } of events) expect(await verdict(log, id)).toBe('not_maskable');
    expect(await verdict(log, result.id)).toBe('permitted');
  });

  test('what the user refused, by any name', async () => {
    const log = logBuilder();
    const action = log.action('delete');
    const rejection = log.reject(action, big);
    log.call('run');
    for (const name of [rejection.id, action.id, addressOf(rejection.id), action.toolCall.id]) {
      expect(await verdict(log, name)).toBe('protected_target');
    }
  });

  test("the tool's own answers, and results of protected tools and ids", async () => {
    const log = logBuilder();
    const own = log.call('relevance_condenser', {}, big).result;
    const plan = log.call('plan', {}, big).result;
    const pinned = log.call('read', {}, big).result;
    log.call('run');
    const limits = { protectedTools: ['plan'], protectedEventIds: [pinned.id] };
    for (const { id } of [own, plan, pinned]) expect(await verdict(log, id, { limits })).toBe('protected_target');
    expect(await verdict(log, plan.id)).toBe('permitted');
  });

  test('results that are pinned, until they are unpinned', async () => {
    const log = logBuilder();
    const { result } = log.call('read', {}, big);
    log.call('run');
    log.custom('view/pin', { eventIds: [result.id] });
    expect(await verdict(log, result.id)).toBe('protected_target');
    log.custom('view/unpin', { eventIds: [result.id] });
    expect(await verdict(log, result.id)).toBe('permitted');
  });

  test('results that answer no call', async () => {
    const log = logBuilder();
    const { action } = log.call('read', {}, big);
    const orphan = log.observation({ ...action, toolCall: { ...action.toolCall, id: 'nobody' } }, big);
    log.call('run');
    expect(await verdict(log, orphan.id)).toBe('not_maskable');
  });
});

describe('what the model has not read, or only just', () => {
  test('a call without a result', async () => {
    const log = logBuilder();
    const { action } = { action: log.action('read') };
    expect(await verdict(log, action.id)).toBe('no_observation_yet');
  });

  test('a result of the same response', async () => {
    const log = logBuilder();
    log.call('run');
    const { actions, results } = log.batch([{ name: 'read', result: big }, { name: 'relevance_condenser' }]);
    const request = actions[1] as ActionEvent;
    expect(await verdict(log, results[0]?.id ?? '', { request })).toBe('no_observation_yet');
  });

  test('results of the newest step, by default of one', async () => {
    const log = logBuilder();
    const older = log.call('read', {}, big).result;
    const newer = log.call('read', {}, big).result;
    const request = log.action('relevance_condenser');
    expect(await verdict(log, newer.id, { request })).toBe('too_recent');
    expect(await verdict(log, older.id, { request })).toBe('permitted');
    expect(await verdict(log, older.id, { request, limits: { newestSteps: 2 } })).toBe('too_recent');
    expect(await verdict(log, newer.id, { request, limits: { newestSteps: 0 } })).toBe('permitted');
  });

  test('a late result counts from when it came', async () => {
    const log = logBuilder();
    const { actions } = log.batch([{ name: 'slow' }, { name: 'read', result: 'ok' }]);
    log.call('run');
    const late = log.observation(actions[0] as ActionEvent, big);
    const request = log.action('relevance_condenser');
    expect(await verdict(log, late.id, { request })).toBe('too_recent');
    log.observation(request, 'Rejected.');
    expect(await verdict(log, late.id)).toBe('permitted');
  });

  test('without the requesting action in the log, the newest response counts as the request', async () => {
    const log = logBuilder();
    const older = log.call('read', {}, big).result;
    const { result } = log.call('run', {}, big);
    const context = { ...toolContext(await logOf(log.events), log.create('action', unlogged)), actionId: 'unlogged' };
    const ask = (reference: string) =>
      checkRequest({ reference, summary: 'old', text: redactionNote('old') }, context, defaultGuardrails);
    expect(ask(result.id)).toMatchObject({ code: 'no_observation_yet' });
    expect(ask(older.id)).toMatchObject({ code: 'too_recent' });
  });
});

describe('what has been dealt with', () => {
  test('a result with a directive, until a condensation forgets the directive', async () => {
    const log = logBuilder();
    const { result } = log.call('read', {}, big);
    const issued = directive(log, result);
    log.call('run');
    expect(await verdict(log, result.id)).toBe('already_redacted');
    log.condensation([issued]);
    expect(await verdict(log, result.id)).toBe('permitted');
  });

  test('a result that a condensation redacted or forgot, until that is undone', async () => {
    const log = logBuilder();
    const masked = log.call('read', {}, big).result;
    const forgotten = log.call('read', {}, big);
    log.call('run');
    const masking = log.condensation([], { redactions: [{ eventId: masked.id, text: 'masked' }] });
    const forgetting = log.condensation([forgotten.action, forgotten.result]);
    log.call('run');
    expect(await verdict(log, masked.id)).toBe('already_redacted');
    expect(await verdict(log, forgotten.result.id)).toBe('already_forgotten');
    log.revert(masking);
    log.revert(forgetting);
    expect(await verdict(log, masked.id)).toBe('permitted');
    expect(await verdict(log, forgotten.result.id)).toBe('permitted');
  });
});

describe('names', () => {
  test('nothing, and nothing that exists', async () => {
    const log = logBuilder();
    expect(await verdict(log, '  ')).toBe('invalid_id');
    expect(await verdict(log, '018f3c5e-7b1a-7c3d-8e4f-000000000001')).toBe('unknown_event');
    expect(await verdict(log, '0'.repeat(8))).toBe('unknown_event');
  });

  test('ids of any shape do, when they exist', async () => {
    const log = logBuilder({ idPrefix: 'запись [event_id: ' });
    const { result } = log.call('read', {}, big);
    log.call('run');
    expect(await verdict(log, result.id)).toBe('permitted');
  });

  test('a name that fits two is refused with both', async () => {
    const log = logBuilder();
    const first = log.batch([{ name: 'read', id: 'call_0', result: big }]).actions[0];
    const second = log.batch([{ name: 'read', id: 'call_0', result: big }]).actions[0];
    log.call('run');
    const context = toolContext(await logOf(log.events), log.action('relevance_condenser'));
    const result = checkRequest({ reference: 'call_0', summary: 'old', text: 'x' }, context, defaultGuardrails);
    expect(result).toMatchObject({ code: 'ambiguous_event' });
    for (const action of [first, second]) expect(JSON.stringify(result)).toContain(action?.id);
  });

  test('two results with one label: neither is taken for the other', async () => {
    // Found by search: the two ids have the same label.
    const [one, other] = ['id-645817', 'id-1043717'];
    expect(addressOf(one)).toBe(addressOf(other));
    const log = logBuilder();
    const [first, second] = log.batch([{ name: 'read' }, { name: 'read' }]).actions;
    log.observation(first as ActionEvent, big, { id: one });
    log.observation(second as ActionEvent, big, { id: other });
    log.call('run');
    expect(await verdict(log, addressOf(one))).toBe('ambiguous_event');
    expect(await verdict(log, one)).toBe('permitted');
  });
});

describe('size', () => {
  const short = 'x'.repeat(300);

  test('the summary has a limit, blank ones do not count', async () => {
    const log = logBuilder();
    const { result } = log.call('read', {}, big);
    log.call('run');
    expect(await verdict(log, result.id, { summary: ' \n' })).toBe('summary_empty');
    expect(await verdict(log, result.id, { summary: 'y'.repeat(251) })).toBe('summary_too_long');
    expect(await verdict(log, result.id, { summary: ` ${'y'.repeat(250)} ` })).toBe('permitted');
  });

  test('what is rendered must be clearly shorter: by share and by characters', async () => {
    const log = logBuilder();
    const { result } = log.call('read', {}, short);
    const empty = log.call('read', {}, '').result;
    log.call('run');
    const limits = { minSavedCharacters: 0 };
    // The marker has 19 characters: 19 + 131 is half of 300.
    expect(await verdict(log, result.id, { limits, summary: 'y'.repeat(131) })).toBe('permitted');
    expect(await verdict(log, result.id, { limits, summary: 'y'.repeat(132) })).toBe('not_shorter');
    expect(await verdict(log, result.id, { summary: 'y'.repeat(81) })).toBe('permitted');
    expect(await verdict(log, result.id, { summary: 'y'.repeat(82) })).toBe('not_shorter');
    expect(await verdict(log, empty.id)).toBe('not_shorter');
  });

  test('an image counts', async () => {
    const log = logBuilder();
    const { result } = log.call('screenshot', {}, [{ type: 'image', url: 'data:image/png;base64,AA' }]);
    log.call('run');
    expect(await verdict(log, result.id)).toBe('permitted');
  });
});

test('so many requests in one step, and more in the next', async () => {
  const log = logBuilder();
  const results = [1, 2, 3].map(() => log.call('read', {}, big).result);
  log.call('run');
  const request = log.action('relevance_condenser');
  const limits = { maxPerStep: 2 };
  for (const result of results.slice(0, 2)) {
    expect(await verdict(log, result.id, { request, limits })).toBe('permitted');
    directive(log, result);
  }
  const [, , third] = results;
  expect(await verdict(log, third?.id ?? '', { request, limits })).toBe('rate_limited');
  log.observation(request, 'Rejected.');
  expect(await verdict(log, third?.id ?? '', { limits })).toBe('permitted');
});

const unlogged = {
  thought: [],
  toolCall: { id: 'unlogged', name: 'relevance_condenser', arguments: '{}' },
  llmResponseId: 'unlogged',
};
