import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { View, ViewProjection } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { relevanceCondenser } from './condenser.js';
import { directive } from '../test-support/directive-builder.js';
import { condensed, resultTexts } from '../test-support/minimal-loop.js';

const big = 'a line of output that nobody needs any more\n'.repeat(40);

const thinking = (thought: string) => ({ thinkingBlocks: [{ type: 'thinking' as const, thinking: thought }] });

function started() {
  const log = logBuilder();
  log.user('a task');
  const { action, result } = log.call('read', {}, big, thinking('before the target'));
  log.call('run', {}, 'ok', thinking('before the directive'));
  return { log, action, result };
}

const pin = (log: LogBuilder, { id }: { readonly id: string }) => log.custom('view/pin', { eventIds: [id] });
const unpin = (log: LogBuilder, { id }: { readonly id: string }) => log.custom('view/unpin', { eventIds: [id] });

async function shown(log: LogBuilder, { toolCallId }: { readonly toolCallId: string }) {
  const { result, reports } = await condensed(relevanceCondenser(), log.events);
  const messages = result.toMessages();
  const thoughts = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.thinkingBlocks ?? []).map((block) => JSON.stringify(block)) : [],
  );
  return {
    isWhole: resultTexts(messages).get(toolCallId) === big,
    thoughts: thoughts.map((block) => /"thinking":"([^"]*)"/.exec(block)?.[1]),
    outcomes: reports.map(({ outcome }) => outcome),
  };
}

test('what is pinned before the directive is never redacted', async () => {
  const { log, action, result } = started();
  pin(log, action);
  directive(log, result);
  expect(await shown(log, result)).toEqual({
    isWhole: true,
    thoughts: ['before the target', 'before the directive'],
    outcomes: ['relevance-pinned'],
  });
});

test('what is pinned after the directive is shown whole again, and thinking of the time between is not sent', async () => {
  const { log, result } = started();
  directive(log, result);
  log.call('run', {}, 'ok', thinking('while it was redacted'));
  expect(await shown(log, result)).toMatchObject({
    isWhole: false,
    thoughts: ['before the target', 'while it was redacted'],
  });
  pin(log, result);
  log.call('run', {}, 'ok', thinking('after the pin'));
  expect(await shown(log, result)).toEqual({
    isWhole: true,
    thoughts: ['before the target', 'after the pin'],
    outcomes: ['relevance-pinned'],
  });
});

test('once the pin ends the redaction takes effect', async () => {
  const { log, result } = started();
  directive(log, result);
  pin(log, result);
  log.call('run', {}, 'ok', thinking('after the pin'));
  unpin(log, result);
  log.call('run', {}, 'ok', thinking('after the unpin'));
  expect(await shown(log, result)).toEqual({
    isWhole: false,
    thoughts: ['before the target', 'after the unpin'],
    outcomes: ['relevance-applied'],
  });
});

test('a pin of something else changes nothing', async () => {
  const { log, result } = started();
  directive(log, result);
  log.call('run', {}, 'ok', thinking('while it was redacted'));
  const before = await shown(log, result);
  pin(log, log.agent('Words.'));
  expect(await shown(log, result)).toEqual(before);
});

test('batched directives respect a pin too, whenever it came', async () => {
  const condenser = relevanceCondenser({ apply: 'batched', batching: { pressure: 0.01 } });
  const isWhole = async (log: LogBuilder, { toolCallId }: { readonly toolCallId: string }) => {
    const { result } = await condensed(condenser, log.events, { contextWindow: 1_000 });
    return resultTexts(result.toMessages()).get(toolCallId) === big;
  };
  const { log, result } = started();
  directive(log, result);
  log.call('run', {}, 'ok');
  expect(await isWhole(log, result)).toBe(false);
  pin(log, result);
  expect(await isWhole(log, result)).toBe(true);
  unpin(log, result);
  expect(await isWhole(log, result)).toBe(false);
});

test('after every event the view is what the rebuilt log gives', async () => {
  const { log, result } = started();
  directive(log, result);
  pin(log, result);
  log.call('run', {}, 'ok', thinking('after the pin'));
  unpin(log, result);
  log.call('run', {}, 'ok');
  const projection = new ViewProjection();
  const condenser = relevanceCondenser();
  const context = { report: () => undefined };
  for (const [index, event] of log.events.entries()) {
    projection.append(event);
    const rebuilt = View.fromEvents(log.events.slice(0, index + 1));
    expect(condenser.condense(projection.view, context).toMessages()).toEqual(
      condenser.condense(rebuilt, context).toMessages(),
    );
  }
});
