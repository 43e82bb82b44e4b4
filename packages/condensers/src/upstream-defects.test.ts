import type { Condensation } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script, ScriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, View } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { expect, test } from 'vitest';
import { llmSummarizingCondenser } from './llm-summarizing.js';

// Each of these went wrong in a system that summarises histories, and was seen there by running it.

async function summarise(log: ReturnType<typeof logBuilder>, script: Script = () => 'SUMMARY') {
  const llm: ScriptedLLM = scriptedLLM({ script, contextWindow: 200_000 });
  const reports: unknown[] = [];
  const view = View.fromEvents(log.events);
  const condenser = llmSummarizingCondenser({ llm, maxSize: 40 });
  const result = await condenser.condense(view, { report: (report) => void reports.push(report) });
  return { result, view, reports, asked: JSON.stringify(llm.requests[0]?.messages ?? []) };
}

function made(result: View | Condensation): Condensation {
  if (!isCondensation(result)) throw new Error('it returned a view');
  return result;
}

test('a summariser that throws: the history is not replaced by the text of its error', async () => {
  const log = logBuilder();
  for (let fact = 1; fact <= 50; fact++) log.agent(`Fact ${fact}.`);
  const { result, view, reports } = await summarise(log, () => new Error('quota exceeded'));
  expect(result).toBe(view);
  expect(reports).toHaveLength(1);
});

test('every one of 198 facts reaches the summariser, not only the newest few', async () => {
  const log = logBuilder();
  for (let fact = 1; fact <= 198; fact++) log.call('read', { number: fact }, `fact #${fact}. ${'text '.repeat(100)}`);
  const { result, asked } = await summarise(log);
  const covered = View.fromEvents(log.events).events.slice(0, 4 + made(result).forgottenEventIds.length);
  const facts = covered.filter(({ type }) => type === 'observation').length;
  expect(facts).toBeGreaterThan(180);
  for (let fact = 3; fact <= facts; fact++) expect(asked).toContain(`fact #${fact}. `);
});

test('calls that were made in parallel are cut whole, whatever the size of the tail', async () => {
  for (let width = 2; width <= 9; width++) {
    const log = logBuilder();
    log.user('Go.');
    for (let step = 0; step < 12; step++)
      log.batch(Array.from({ length: width }, (_, call) => ({ name: `tool-${call}`, result: 'text '.repeat(30) })));
    const { result } = await summarise(log);
    const after = View.fromEvents(isCondensation(result) ? [...log.events, result] : log.events);
    expect(messageViolations(after.toMessages()), `${width} calls`).toEqual([]);
    expect(after.leftOut.size).toBe(0);
  }
});

test('the log keeps every original', async () => {
  const log = logBuilder();
  for (let fact = 1; fact <= 50; fact++) log.call('read', {}, `fact #${fact}. ${'text '.repeat(30)}`);
  const before = JSON.stringify(log.events);
  const { result } = await summarise(log);
  const after = View.fromEvents([...log.events, made(result)]);
  expect(JSON.stringify(log.events)).toBe(before);
  for (const id of made(result).forgottenEventIds) expect(JSON.stringify(after.original(id))).toContain('"id"');
  const undone = log.create('condensation-revert', { condensationId: made(result).id });
  expect(View.fromEvents([...log.events, made(result), undone]).toMessages()).toEqual(
    View.fromEvents(log.events).toMessages(),
  );
});

test('the summariser reads arguments and long results, not previews of 500 characters', async () => {
  const log = logBuilder();
  const patch = Array.from({ length: 100 }, (_, line) => `+ line ${line} of the patch`).join('\n');
  // Behind the first four, which stay.
  for (let step = 0; step < 2; step++) log.call('read', { step }, 'text');
  log.call('apply_patch', { patch }, `${'ok '.repeat(400)}END`);
  for (let step = 0; step < 30; step++) log.call('read', { step }, 'text '.repeat(30));
  const { asked } = await summarise(log);
  expect(asked).toContain('+ line 0 of the patch');
  expect(asked).toContain('+ line 99 of the patch');
  expect(asked).toContain('ok END');
});

test('a summary of several thousand characters is carried on whole, so that nothing is lost twice', async () => {
  const log = logBuilder();
  for (let step = 0; step < 50; step++) log.agent(`step ${step} ${'text '.repeat(100)}`);
  const long = Array.from({ length: 100 }, (_, line) => `decision ${line}: keep it`).join('\n');
  log.add(made((await summarise(log, () => long)).result));
  for (let step = 0; step < 30; step++) log.agent(`more ${step} ${'text '.repeat(100)}`);
  const { asked } = await summarise(log);
  for (let line = 0; line < 100; line++) expect(asked).toContain(`decision ${line}: keep it`);
});

test('the user’s request stays as it was, before the summary of what was done about it', async () => {
  const log = logBuilder();
  log.system();
  log.user('First: rename the parser.');
  for (let step = 0; step < 15; step++) log.call('edit', { step }, 'text '.repeat(30));
  const latest = log.user('Now: write its tests.');
  for (let step = 0; step < 20; step++) log.call('edit', { step }, 'text '.repeat(30));
  const { result } = await summarise(log);
  const after = View.fromEvents([...log.events, made(result)]);
  const at = after.indexOf(latest.id) ?? -1;
  expect(after.events.at(at)).toBe(latest);
  expect(after.events.at(at + 1)).toMatchObject({ type: 'condensation-summary' });
});

test('a model that is down is not asked at every step', async () => {
  const log = logBuilder();
  for (let step = 0; step < 41; step++) log.agent(`step ${step} ${'text '.repeat(30)}`);
  let calls = 0;
  for (let step = 0; step < 100; step++) {
    const { reports } = await summarise(log, () => (calls++, new Error('down')));
    for (const report of reports) log.attempt({ condenser: 'llmSummarizing', ...(report as object) });
    log.agent(`step ${step} ${'text '.repeat(30)}`);
  }
  expect(calls).toBe(5);
});
