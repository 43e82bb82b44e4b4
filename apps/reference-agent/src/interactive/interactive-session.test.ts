import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calls, says, toolCall } from '../../test-support/chat-server.js';
import { interactiveRig } from '../../test-support/interactive-rig.js';
import type { TalkedTo } from '../../test-support/interactive-rig.js';
import { findSession } from '../sessions/session-list.js';

/** What a user reads of a session: the words of both, and the states of calls. */
function transcript({ told }: TalkedTo): readonly string[] {
  return told.flatMap((event) =>
    event.type !== 'logged'
      ? []
      : event.told.flatMap((each) => {
          if (each.type === 'message' && each.from !== 'framework') return [`${each.from}: ${each.text}`];
          return each.type === 'tool-result' ? [`${each.name}: ${each.status}`] : [];
        }),
  );
}

const userWords = (body: unknown): readonly string[] =>
  (body as { readonly messages: readonly { readonly role: string; readonly content: unknown }[] }).messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));

test('a message is answered, and the next one goes on in the same session', async () => {
  const rig = await interactiveRig({ reply: (_, index) => says(`Answer ${index}.`) });
  const talked = await rig.open();
  const { session } = talked;
  expect(session.state.type).toBe('idle');
  expect(talked.told.find(({ type }) => type === 'opened')).toMatchObject({
    init: { isResumed: false, workspace: rig.workspace, model: 'local' },
    history: [],
  });
  session.send('First?');
  await talked.until((event) => event.type === 'state' && event.state.type === 'idle', talked.told.length);
  session.send(' \n');
  session.send('Second?');
  await talked.until((event) => event.type === 'state' && event.state.type === 'idle', talked.told.length);
  expect(transcript(talked)).toEqual(['user: First?', 'model: Answer 0.', 'user: Second?', 'model: Answer 1.']);
  expect(session.queue).toEqual([]);
  const states = talked.told.flatMap((event) => (event.type === 'state' ? [event.state.type] : []));
  expect(states).toEqual(expect.arrayContaining(['opening', 'idle', 'working']));
  await session.close();
  expect(session.state).toEqual({ type: 'closed' });
});
