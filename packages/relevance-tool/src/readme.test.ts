import { readFileSync } from 'node:fs';
import { EventLog, createEvent, userMessage } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { observationLabel, relevanceCondenser, relevanceTool } from './index.js';

const here = new URL(import.meta.url);

test("the README's example runs, and stands in it word for word", async () => {
  const log = new EventLog('example');
  const act = async (name: string, input: object, result?: string) => {
    const call = { id: `call-${log.length}`, name, arguments: JSON.stringify(input) };
    const action = createEvent('action', { thought: [], toolCall: call, llmResponseId: `response-${log.length}` });
    const text = result ?? '';
    const answer = { toolName: name, toolCallId: call.id, content: [{ type: 'text' as const, text }] };
    await log.append(action, ...(result === undefined ? [] : [createEvent('observation', answer)]));
    return action;
  };
  await log.append(userMessage('Fix the failing test.'));
  await act('read', { path: 'a.ts' }, 'line\n'.repeat(500));
  await act('read', { path: 'b.ts' }, 'line\n'.repeat(500));
  const [, , result] = [...log];
  const label = result?.type === 'observation' ? observationLabel(result) : undefined;
  const input: unknown = { event_id: label, summary_text: 'a.ts only re-exports b.ts.' };
  const action = await act('relevance_condenser', input as object);

  // #region example
  const tool = relevanceTool();
  const condenser = relevanceCondenser();

  // When the model calls the tool:
  const output = await tool.execute(tool.parseInput(input), {
    actionId: action.id,
    toolCallId: action.toolCall.id,
    log, // an EventLog, or anything that iterates over the events so far
    event: (id) => log.get(id),
    append: (event) => log.append(event),
  });

  // Before each model call:
  const view = condenser.condense(View.fromEvents(log), {
    report: ({ outcome, reason }) => console.log(outcome, reason),
  });
  const messages = view.toMessages({ labelObservation: observationLabel });
  // #endregion

  expect(output).toMatchObject({ details: { accepted: true } });
  const sent = messages.find(({ role }) => role === 'tool');
  expect(sent?.content).toEqual([{ type: 'text', text: `Response redacted: a.ts only re-exports b.ts.\n${label}` }]);

  const source = readFileSync(here, 'utf8');
  const example = source.slice(source.indexOf('// #region example\n') + 19, source.indexOf('  // #endregion'));
  const readme = readFileSync(new URL('../README.md', here), 'utf8');
  expect(readme).toContain(example.replaceAll(/^ {2}/gm, '').trim());
  expect(readme.split('\n').length).toBeLessThanOrEqual(120);
});
