import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { EventLog } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { logBuilder } from '@palimpsest/events/testing';
import { relevanceDirectiveType } from '@palimpsest/relevance-tool';
import { condenseUntilSettled, ViewProjection } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { workspaceRoot } from './workspace.js';

// Apps import no apps, so one line stands in both: see docs/decisions/0054.

const fromApp = (file: string): Promise<unknown> => import(pathToFileURL(path.join(workspaceRoot, 'apps', file)).href);
const { defaultCondenser } = (await fromApp('reference-agent/src/agent/condenser.ts')) as {
  readonly defaultCondenser: () => Condenser;
};
const { referenceAgentCondenser } = (await fromApp('test-harness/src/replay/named-policy.ts')) as {
  readonly referenceAgentCondenser: () => Condenser;
};

const contextWindow = 12_000;

/** Returns the messages before each model call, without the ids of condensations. */
async function shownBy(condenser: Condenser, events: readonly Event[]): Promise<readonly string[]> {
  const projection = new ViewProjection();
  const shown: string[] = [];
  for (const event of events) {
    if (event.type === 'condensation') continue;
    const view: View = await condenseUntilSettled(condenser, projection, { contextWindow });
    shown.push(JSON.stringify(view.toMessages()));
    projection.append(event);
  }
  return shown;
}

/** Eighty results, half of which the model marks at once. */
function sessionWithDirectives(): readonly Event[] {
  const log = logBuilder();
  log.system();
  log.user('Read it all.');
  for (let step = 0; step < 80; step++) {
    const { action, result } = log.call('read', { path: `src/${step}.ts` }, `line ${step} of it\n`.repeat(120));
    if (step % 2 === 0) continue;
    log.custom(relevanceDirectiveType, {
      targetEventId: result.id,
      requestedEventId: result.id,
      toolCallId: action.toolCall.id,
      requestingActionId: action.id,
      summary: 'Read.',
      text: 'No longer needed.',
    });
  }
  return log.events;
}

test('the harness replays the reference agent with what the reference agent condenses with', async () => {
  const store = fileEventStore({ directory: path.join(workspaceRoot, 'corpus') });
  const logs = [sessionWithDirectives(), [...(await EventLog.open('demo-default', { store }))]];
  for (const events of logs) {
    const ours = await shownBy(defaultCondenser(), events);
    expect(await shownBy(referenceAgentCondenser(), events)).toEqual(ours);
  }
  // Both stages act on the first.
  const shown = await shownBy(defaultCondenser(), logs[0] ?? []);
  expect(shown.some((messages) => messages.includes('No longer needed.'))).toBe(true);
  expect(shown.some((messages, index) => messages.length < (shown[index - 1] ?? '').length - 10_000)).toBe(true);
});
