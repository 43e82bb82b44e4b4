import { addressOf, toolResultContent } from '@palimpsest/events';
import type { Condensation, Event, EventId, LLMConvertibleEvent, Message } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import {
  isCondensation,
  NoCondensationAvailableError,
  pin,
  unpin,
  View,
  viewOfLog,
  ViewProjection,
} from '@palimpsest/view';
import { condenserContract, messageViolations } from '@palimpsest/view/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contractSeeds } from '../../test-support/contract-seeds.js';
import { fewer } from '../../test-support/fewer.js';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { observationMaskingCondenser } from './observation-masking.js';
import type { ObservationMaskingOptions } from './observation-masking.js';

const report = () => {};
const long = (text: string) => `${text}\n`.repeat(100);

function condense(
  options: ObservationMaskingOptions,
  events: readonly Event[],
  contextWindow?: number,
): View | Condensation {
  const context = contextWindow === undefined ? { report } : { report, contextWindow };
  return observationMaskingCondenser(options).condense(View.fromEvents(events), context) as View | Condensation;
}

function masked(options: ObservationMaskingOptions, events: readonly Event[]): { result: Condensation; view: View } {
  const result = condense(options, events);
  if (!isCondensation(result)) throw new Error('nothing was masked');
  return { result, view: View.fromEvents([...events, result]) };
}

function textOf(event: LLMConvertibleEvent | undefined): string {
  if (event?.type !== 'observation' && event?.type !== 'agent-error' && event?.type !== 'user-reject-observation')
    return '';
  return toolResultContent(event)
    .map((part) => (part.type === 'text' ? part.text : '[image]'))
    .join('\n');
}

function addressAt(view: View, index: number): string {
  return addressOf(view.events.at(index)?.id ?? '');
}

/** Steps of 2 events with a result of about 400 tokens each. */
function reads(steps: number) {
  const log = logBuilder();
  log.user('Read it all.');
  for (let step = 1; step <= steps; step++) log.call('read_file', { path: `src/${step}.ts` }, long(`part ${step}`));
  return log;
}

test('nothing happens until enough can be saved, and then one condensation masks all of it', () => {
  const options = { attentionWindow: 6, minSavedTokens: 1_700 };
  const log = reads(3);
  let masks = 0;
  for (let step = 4; step <= 40; step++) {
    log.call('read_file', { path: `src/${step}.ts` }, long(`part ${step}`));
    const view = View.fromEvents(log.events);
    const result = observationMaskingCondenser(options).condense(view, { report }) as View | Condensation;
    if (!isCondensation(result)) {
      expect(result).toBe(view);
      continue;
    }
    masks++;
    expect(result.forgottenEventIds).toEqual([]);
    expect(result.redactions?.length).toBeGreaterThanOrEqual(5);
    log.add(result);
    const after = View.fromEvents(log.events);
    expect(result.metadata).toMatchObject({
      condenser: 'observationMasking',
      reason: 'batch',
      tokensBefore: view.tokens(),
      tokensAfter: after.tokens(),
    });
    expect(after.events.slice(-6)).toEqual(view.events.slice(-6));
    expect(observationMaskingCondenser(options).condense(after, { report })).toBe(after);
  }
  expect(masks).toBeGreaterThanOrEqual(4);
  expect(masks).toBeLessThanOrEqual(8);
});

test('a mask says which tool it was, how much was there, how it ended and how it began', () => {
  const log = logBuilder();
  log.call('run', { command: 'npm test' }, `${long('not ok')}exit code 1`);
  log.call('read_file', { path: 'a.ts' }, long('export const a = 1;'));
  log.call('look', {}, [{ type: 'image', url: 'https://example.com/a.png' }]);
  log.call('last');
  const { view } = masked({ attentionWindow: 0, minSavedTokens: 1 }, log.events);
  expect(textOf(view.events.at(1))).toBe(
    `[Old output of run (address ${addressAt(view, 1)}) is hidden: 101 lines, 711 characters; exit 1; begins: not ok. Make the call again if you need it.]`,
  );
  expect(textOf(view.events.at(3))).toContain('is hidden: 101 lines, 2000 characters; begins: export const a = 1;.');
  expect(textOf(view.events.at(5))).toBe(
    `[Old output of look (address ${addressAt(view, 5)}) is hidden: 1 image. Make the call again if you need it.]`,
  );
});

test('known fault of the original: calls, ids, positions and tool names stay, and the messages can be sent', () => {
  const { events } = reads(12);
  const before = View.fromEvents(events);
  const { view } = masked({ attentionWindow: 4, minSavedTokens: 100 }, events);
  const shape = (event: LLMConvertibleEvent) => [
    event.id,
    event.type,
    'toolCallId' in event ? event.toolCallId : '',
    'toolName' in event ? event.toolName : '',
  ];
  expect([...view.events].map(shape)).toEqual([...before.events].map(shape));
  expect(messageViolations(view.toMessages())).toEqual([]);
  expect(view.original(before.events.at(2)?.id ?? '')).toBe(events[2]);
});

test('the newest step stays as it is, however small the window', () => {
  const log = reads(3);
  const { results } = log.batch([
    { name: 'read_file', result: long('x') },
    { name: 'read_file', result: long('y') },
    { name: 'read_file', result: long('z') },
  ]);
  const { result } = masked({ attentionWindow: 1, minSavedTokens: 1 }, log.events);
  expect(result.redactions?.map(({ eventId }) => eventId)).not.toEqual(
    expect.arrayContaining(results.map(({ id }) => id)),
  );
  expect(result.redactions).toHaveLength(3);
});

test('small results, small failures, refusals and masked results stay', () => {
  const log = reads(0);
  log.call('read_file', { path: 'small' }, 'ok');
  log.error(log.action('missing'), long('no such tool').slice(0, 600));
  log.reject(log.action('remove'), long('not that one'));
  const first = log.call('read_file', { path: 'big' }, long('big'));
  const loud = log.error(log.action('missing'), long('a very long failure'));
  log.call('last');
  const options = { attentionWindow: 2, minSavedTokens: 1 };
  const { result } = masked(options, log.events);
  expect(result.redactions?.map(({ eventId }) => eventId)).toEqual([first.result.id, loud.id]);
  log.add(result);
  const view = View.fromEvents(log.events);
  expect(observationMaskingCondenser(options).condense(view, { report })).toBe(view);
});

test('long texts in arguments are masked on demand, and what is left is JSON with the same keys', () => {
  const log = reads(0);
  const content = long('const value = 1;');
  const written = log.call('write_file', { path: 'src/a.ts', content, mode: 'create', lines: [1, 2] }, 'ok');
  log.call('odd', `not json ${content}`, 'ok');
  log.call('last');
  expect(isCondensation(condense({ attentionWindow: 0, minSavedTokens: 1 }, log.events))).toBe(false);
  const { view, result } = masked({ attentionWindow: 0, minSavedTokens: 1, maskArguments: true }, log.events);
  expect(result.redactions).toHaveLength(1);
  const action = view.events.at(view.indexOf(written.action.id) ?? -1);
  const left = JSON.parse(action?.type === 'action' ? action.toolCall.arguments : '') as Record<string, unknown>;
  expect(left).toEqual({
    path: 'src/a.ts',
    content: expect.stringContaining(
      `101 lines, 1700 characters; address ${addressOf(written.action.id)}; begins: const value = 1;`,
    ) as unknown,
    mode: 'create',
    lines: [1, 2],
  });
  expect(messageViolations(view.toMessages())).toEqual([]);
});

test('on a request it masks also what the window held, and says so when it can save too little', () => {
  const log = reads(8);
  log.request();
  const options = { attentionWindow: 100, minSavedTokens: 8_000 };
  const { result } = masked(options, log.events);
  expect(result.metadata?.['reason']).toBe('request');
  expect(result.redactions).toHaveLength(7);
  log.add(result);
  log.request();
  expect(() => condense(options, log.events)).toThrow(NoCondensationAvailableError);
});

test('over the budget it acts earlier, and without a request it never throws', () => {
  const options = { attentionWindow: 100, minSavedTokens: 8_000 };
  const { events } = reads(8);
  expect(isCondensation(condense(options, events))).toBe(false);
  const result = condense(options, events, 1_500);
  expect(isCondensation(result) && result.metadata?.['reason']).toBe('tokens');
  expect(isCondensation(condense(options, logBuilder().events, 1))).toBe(false);
  const words = logBuilder();
  words.user(long('nothing to mask'));
  expect(isCondensation(condense(options, words.events, 100))).toBe(false);
});

test('a batch saves enough without what is pinned', () => {
  const log = reads(6);
  const [first] = log.events.filter(({ type }) => type === 'observation');
  log.add(pin(first?.id ?? ''));
  const options = { attentionWindow: 2, minSavedTokens: 1_600 };
  expect(isCondensation(condense(options, log.events))).toBe(false);
  log.call('read_file', { path: 'src/7.ts' }, long('part 7'));
  const { redactions } = masked(options, log.events).result;
  expect(redactions).toHaveLength(5);
  expect(redactions?.map(({ eventId }) => eventId)).not.toContain(first?.id);
});

test('a recalled answer that is too young for a batch is masked with a later one', () => {
  const log = reads(12);
  const recalled = log.observation(log.action('recall'), long('recalled'), { details: { recalledEventIds: ['e'] } });
  log.call('look');
  const options = { attentionWindow: 1, minSavedTokens: 1_000 };
  const { result } = masked(options, log.events);
  expect(result.redactions?.map(({ eventId }) => eventId)).not.toContain(recalled.id);
  log.add(result);
  for (let step = 0; step < 12; step++) log.call('read_file', { path: `more/${step}` }, long('more'));
  expect(masked(options, log.events).result.redactions?.map(({ eventId }) => eventId)).toContain(recalled.id);
});

test('in a small window a smaller batch is enough', () => {
  const { events } = reads(20);
  const options = { attentionWindow: 4, minSavedTokens: 8_000 };
  expect(isCondensation(condense(options, events))).toBe(false);
  expect(isCondensation(condense(options, events, 20_000))).toBe(true);
});

test('what is saved is counted as the view counts', () => {
  const { events } = reads(12);
  const condenseAt = (sizes: { readonly result: number; readonly mask: number }) => {
    const estimateTokens = (event: LLMConvertibleEvent) =>
      event.type !== 'observation' ? 10 : event.redacted === true ? sizes.mask : sizes.result;
    const view = View.fromEvents(events, { estimateTokens });
    const condenser = observationMaskingCondenser({ attentionWindow: 4, minSavedTokens: 100 });
    return isCondensation(condenser.condense(view, { report }));
  };
  expect(condenseAt({ result: 120, mask: 115 })).toBe(false);
  expect(condenseAt({ result: 45, mask: 2 })).toBe(true);
});

test('a result that does not name its action is paired by its tool call id with the nearest call before it', () => {
  const log = logBuilder();
  log.observation(log.action({ name: 'run', id: 'same', input: { path: 'a.ts' } }), 'old');
  const action = log.action({ name: 'run', id: 'same', input: { command: 'npm test' } });
  const { events } = log;
  const { actionId: _, ...result } = log.observation(action, `${long('not ok')}exit code 1`);
  const last = logBuilder({ idPrefix: 'last-' });
  last.call('last');
  const { view } = masked({ attentionWindow: 0, minSavedTokens: 1 }, [...events, result, ...last.events]);
  expect(textOf(view.events.at(view.indexOf(result.id) ?? -1))).toContain('; exit 1; begins: not ok');
});

test('after what it masked was forgotten it goes on from the beginning', () => {
  const log = reads(12);
  const options = { attentionWindow: 4, minSavedTokens: 500 };
  const { result } = masked(options, log.events);
  log.add(result);
  log.condensation(View.fromEvents(log.events).events.slice(1, 23), { summary: 's', summaryOffset: 1 });
  for (let step = 0; step < 12; step++) log.call('read_file', { path: `more/${step}` }, long('more'));
  const again = condense(options, log.events);
  expect(isCondensation(again) && again.redactions?.length).toBe(11);
});

test.each([
  { attentionWindow: -1 },
  { minSavedTokens: 0 },
  { attentionWindow: 0.5 },
  { minSavedTokens: 500, rewritesEveryStep: true },
])('%j is refused', (options) => {
  expect(() => observationMaskingCondenser(options)).toThrow(InvalidCondenserConfigError);
});

describe('with rewritesEveryStep', () => {
  const shown = (options: ObservationMaskingOptions, events: readonly Event[]): View => {
    const result = condense({ rewritesEveryStep: true, ...options }, events);
    if (isCondensation(result)) throw new Error('a condensation instead of a view');
    return result;
  };
  const isMasked = (event: LLMConvertibleEvent) => 'redacted' in event && event.redacted === true;

  test('it declares that it does, and that requests are for others', () => {
    expect(observationMaskingCondenser({ rewritesEveryStep: true })).toMatchObject({ rewritesEveryStep: true });
    expect(observationMaskingCondenser({ rewritesEveryStep: true }).handlesCondensationRequests ?? false).toBe(false);
    expect(observationMaskingCondenser().rewritesEveryStep ?? false).toBe(false);
  });

  // The table of the original: a window of 3 on 5 events masks the first result alone. Steps are calls with results here.
  test.each([
    { window: 3, steps: 2, words: 1, masked: [1] },
    { window: 5, steps: 2, words: 1, masked: [] },
    { window: 3, steps: 2, masked: [] },
    { window: 4, steps: 4, masked: [1, 3] },
    { window: 3, steps: 4, masked: [1, 3] },
    { window: 2, steps: 4, masked: [1, 3, 5] },
    { window: 1, steps: 4, masked: [1, 3, 5] },
    { window: 0, steps: 4, masked: [1, 3, 5] },
    { window: 100, steps: 4, masked: [] },
  ])('a window of $window events on $steps calls masks $masked', ({ window, steps, words = 0, masked: at }) => {
    const log = logBuilder();
    for (let step = 0; step < steps; step++) log.call('read_file', { path: `${step}.ts` }, long('text'));
    for (let word = 0; word < words; word++) log.agent('Done.');
    const view = shown({ attentionWindow: window }, log.events);
    expect([...view.events].flatMap((event, index) => (isMasked(event) ? [index] : []))).toEqual(at);
  });

  test('a mask is shorter, says what was there, and keeps id, call id, tool name and position', () => {
    const { events } = reads(6);
    const before = View.fromEvents(events);
    const view = shown({ attentionWindow: 2 }, events);
    expect(viewOfLog(view).events.length).toBe(before.events.length);
    for (const [index, event] of [...view.events].entries()) {
      const old = before.events.at(index) as LLMConvertibleEvent;
      if (!isMasked(event)) {
        expect(event).toEqual(old);
        continue;
      }
      expect(textOf(event).length).toBeLessThan(textOf(old).length);
      expect(textOf(event)).toMatch(/read_file \(address \w{8}\) is hidden: 101 lines/);
      expect(event).toMatchObject({ id: old.id, toolCallId: old['toolCallId' as never], toolName: 'read_file' });
    }
    expect(view.tokens()).toBeLessThan(before.tokens());
    expect(messageViolations(view.toMessages())).toEqual([]);
  });

  test('known fault of the original: an open request stays open in the view that is returned', () => {
    const log = reads(6);
    log.request();
    const view = shown({ attentionWindow: 2 }, log.events);
    expect(view.unhandledCondensationRequest).toBe(true);
    expect([...view.events].some(isMasked)).toBe(true);
  });

  test('known fault of the original: a summary outside the window is not masked', () => {
    const log = reads(8);
    log.condensation(View.fromEvents(log.events).events.slice(1, 9), { summary: long('summary'), summaryOffset: 1 });
    const view = shown({ attentionWindow: 2 }, log.events);
    expect([...view.events].find(({ type }) => type === 'condensation-summary')).toMatchObject({
      summary: long('summary'),
    });
  });

  test('where nothing is to mask, the view itself comes back, and what comes back is not masked again', () => {
    const view = View.fromEvents(reads(3).events);
    const condenser = observationMaskingCondenser({ rewritesEveryStep: true, attentionWindow: 100 });
    expect(condenser.condense(view, { report })).toBe(view);
    const rolling = observationMaskingCondenser({ rewritesEveryStep: true, attentionWindow: 1 });
    const once = rolling.condense(view, { report }) as View;
    expect(once).not.toBe(view);
    expect(rolling.condense(once, { report })).toBe(once);
  });

  test('every result is shown verbatim to the call after it, and masked for good once it is masked', () => {
    fc.assert(
      fc.property(
        fc.nat(12),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 25 }),
        (window, sizes) => {
          const log = logBuilder();
          const projection = new ViewProjection();
          const maskedIds = new Set<string>();
          for (const [step, size] of sizes.entries()) {
            const calls = Array.from({ length: size }, (_, part) => ({
              name: 'read_file',
              input: { path: `${step}/${part}.ts` },
              result: (step + part) % 3 === 0 ? 'short' : long(`part ${step}/${part}`),
            }));
            const { actions, results } = log.batch(calls);
            for (const event of [...actions, ...results]) projection.append(event);
            const condenser = observationMaskingCondenser({ attentionWindow: window, rewritesEveryStep: true });
            const view = condenser.condense(projection.view, { report }) as View;
            for (const { id } of results)
              expect(view.events.at(view.indexOf(id) ?? -1)).toBe(projection.view.original(id));
            const now = new Set([...view.events].filter(isMasked).map(({ id }) => id));
            for (const id of maskedIds) expect(now).toContain(id);
            for (const id of now) maskedIds.add(id);
          }
        },
      ),
      { seed: 20_261_121, numRuns: fewer(60) },
    );
  });

  test('signed thinking is sent only with what stood before it when it was made', () => {
    let sent = 0;
    let dropped = 0;
    fc.assert(
      fc.property(
        fc.nat(8),
        fc.boolean(),
        fc.array(
          fc.record({
            calls: fc.integer({ min: 1, max: 3 }),
            isLong: fc.boolean(),
            speaks: fc.boolean(),
            // How many steps later the pin on its results ends; 0: no pin.
            pinned: fc.integer({ min: -6, max: 6 }).map((step) => Math.max(0, step)),
          }),
          { minLength: 3, maxLength: 16 },
        ),
        (attentionWindow, maskArguments, steps) => {
          const log = logBuilder();
          const condenser = observationMaskingCondenser({ attentionWindow, maskArguments, rewritesEveryStep: true });
          const prefixes = new Map<string, string>();
          const pins = new Map<number, EventId[]>();
          log.user('go');
          for (const [step, { calls, isLong, speaks, pinned }] of steps.entries()) {
            const ended = pins.get(step) ?? [];
            if (ended.length > 0) log.add(unpin(ended));
            const messages = (condenser.condense(View.fromEvents(log.events), { report }) as View).toMessages();
            for (const [at, message] of messages.entries()) {
              if (message.role !== 'assistant') continue;
              for (const block of message.thinkingBlocks ?? []) {
                sent++;
                expect(withoutThinking(messages.slice(0, at))).toBe(
                  prefixes.get(block.type === 'thinking' ? block.thinking : ''),
                );
              }
            }
            const kept = messages.filter((message) => message.role === 'assistant' && message.thinkingBlocks).length;
            dropped += step - kept;
            prefixes.set(`thought ${step}`, withoutThinking(messages));
            const { results } = log.batch(
              Array.from({ length: calls }, (_, part) => ({
                name: 'write_file',
                input: { path: `${step}.ts`, content: isLong ? long('code') : 'code' },
                result: isLong ? long(`part ${part}`) : 'ok',
              })),
              { thinkingBlocks: [{ type: 'thinking', thinking: `thought ${step}`, signature: 's' }] },
            );
            if (speaks) log.user(`words ${step}`);
            if (pinned === 0) continue;
            const [{ id }] = results as [LLMConvertibleEvent];
            log.add(pin(id));
            pins.set(step + pinned, [...(pins.get(step + pinned) ?? []), id]);
          }
        },
      ),
      { seed: 20_261_121, numRuns: fewer(40) },
    );
    expect(sent).toBeGreaterThan(fewer(100));
    expect(dropped).toBeGreaterThan(fewer(100));
  });
});

function withoutThinking(messages: readonly Message[]): string {
  return JSON.stringify(messages.map(({ role, content, ...rest }) => ({ role, content, ...rest, thinkingBlocks: [] })));
}

describe('contract, with rewritesEveryStep', () => {
  condenserContract({
    test,
    seeds: contractSeeds,
    create: () => observationMaskingCondenser({ attentionWindow: 6, rewritesEveryStep: true, maskArguments: true }),
    actsOn: reads(30).events,
  });
});

describe('a placeholder', () => {
  test('stands in the place of results, and of long texts in arguments', () => {
    const log = logBuilder();
    log.user('Write it.');
    log.call('write', { path: 'a.ts', content: long('const value = 1;') }, long('written at once'));
    log.call('look');
    const options = { attentionWindow: 0, minSavedTokens: 1, maskArguments: true, placeholder: '<MASKED>' };
    const { view, result } = masked(options, log.events);
    expect(result.redactions).toEqual([
      { eventId: 'event-2', arguments: JSON.stringify({ path: 'a.ts', content: '<MASKED>' }) },
      { eventId: 'event-3', text: '<MASKED>' },
    ]);
    expect(textOf(view.events.at(2))).toBe('<MASKED>');
  });

  test('that is longer than a result masks nothing; a blank one is an error', () => {
    const log = reads(4);
    const placeholder = 'x'.repeat(5_000);
    const view = condense({ attentionWindow: 0, minSavedTokens: 1, placeholder }, log.events);
    expect(isCondensation(view)).toBe(false);
    expect(() => observationMaskingCondenser({ placeholder: '' })).toThrow(InvalidCondenserConfigError);
  });
});

describe('a call that has no result yet keeps its arguments', () => {
  const options = { attentionWindow: 0, minSavedTokens: 1, maskArguments: true };

  /** A call in the background: later responses came before its result. */
  function waiting() {
    const log = logBuilder();
    log.user('Write them.');
    const answered = log.call('write', { content: long('answered') }, 'written').action;
    const open = log.action({ name: 'write', input: { content: long('open') } });
    for (let step = 0; step < 4; step++) log.call('look', {}, long(`${step}`));
    return { log, answered, open };
  }

  test('in a batch; once the result is there it may be masked', () => {
    const { log, answered, open } = waiting();
    const first = masked(options, log.events).result;
    expect(first.redactions?.map(({ eventId }) => eventId)).toContain(answered.id);
    expect(first.redactions?.map(({ eventId }) => eventId)).not.toContain(open.id);
    log.observation(open, 'written at last');
    log.call('look');
    const view = masked(options, log.events).view;
    expect(view.events.at(view.indexOf(open.id) ?? -1)).toMatchObject({ redacted: true });
  });

  test('also where each step masks anew', () => {
    const { log, answered, open } = waiting();
    const rolling = { attentionWindow: 0, maskArguments: true, rewritesEveryStep: true };
    const view = condense(rolling, log.events) as View;
    expect(view.events.at(view.indexOf(answered.id) ?? -1)).toMatchObject({ redacted: true });
    expect(view.events.at(view.indexOf(open.id) ?? -1)).toBe(open);
  });
});
