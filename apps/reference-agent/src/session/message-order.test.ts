import { isUserMessage } from '@palimpsest/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calls, says, toolCall } from '../../test-support/chat-server.js';
import { interactiveRig } from '../../test-support/interactive-rig.js';
import type { TalkedTo } from '../../test-support/interactive-rig.js';

/** What a user does, at any moment. */
type Act = 'send' | 'withdraw' | 'interrupt' | 'yes' | 'no' | 'goOn' | 'work' | 'rest';

const acts = fc.array(
  fc.tuple(
    fc.constantFrom<Act>('send', 'send', 'send', 'withdraw', 'interrupt', 'yes', 'no', 'goOn', 'work', 'rest'),
    // How many turns of the event loop pass before the next act.
    fc.nat({ max: 40 }),
  ),
  { minLength: 1, maxLength: 14 },
);

async function perform(act: Act, { session, rest, state }: TalkedTo, next: () => string): Promise<void> {
  const { state: now } = session;
  switch (act) {
    case 'send':
      return session.send(next());
    case 'withdraw':
      return void session.withdraw();
    case 'interrupt':
      return session.interrupt();
    case 'goOn':
      return session.goOn();
    case 'yes':
    case 'no': {
      const [first] = now.type === 'waiting' ? now.approvals : [];
      const answer = act === 'yes' ? ({ type: 'once' } as const) : ({ type: 'no', reason: 'No.' } as const);
      if (first !== undefined) void session.answer([first.id], answer);
      return;
    }
    case 'work':
      return void session.work((conversation) => conversation.events.catchUp());
    case 'rest':
      await Promise.race([rest(), state('waiting')]);
  }
}

test('whatever is typed, interrupted, answered and taken back: each message is sent once, or is still there; the log is valid', async () => {
  // Reads, then asks to write twice, then answers: over and over.
  const rig = await interactiveRig(
    {
      reply: (_, index) =>
        index % 3 === 0
          ? calls('I look.', toolCall('read_file', { path: 'a.txt' }, `call_${index}`))
          : index % 3 === 1
            ? calls(
                null,
                toolCall('write_file', { path: `b${index}.txt`, content: 'b' }, `call_${index}`),
                toolCall('write_file', { path: `c${index}.txt`, content: 'c' }, `call_${index}_2`),
              )
            : says(`Answer ${index}.`),
    },
    { 'a.txt': 'hello' },
  );
  await fc.assert(
    fc.asyncProperty(acts, async (script) => {
      const talked = await rig.open();
      const { session } = talked;
      const sent: string[] = [];
      const withdrawn: string[] = [];
      const withdraw = session.withdraw.bind(session);
      session.withdraw = (id) => {
        const text = withdraw(id);
        if (text !== undefined) withdrawn.push(text);
        return text;
      };
      for (const [act, turns] of script) {
        await perform(act, talked, () => {
          sent.push(`Message ${sent.length}.`);
          return sent.at(-1) ?? '';
        });
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      }
      // Whatever is left to be done is done: what waits is denied.
      await Promise.race([talked.rest(), talked.state('waiting')]);
      while (session.state.type !== 'idle') {
        session.interrupt();
        await talked.rest();
      }
      const conversation = session.opened?.conversation;
      const logged = [...(conversation?.events ?? [])]
        .filter(isUserMessage)
        .map(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')).join(''));
      const queued = session.queue.map(({ text }) => text);
      expect([...logged, ...queued]).toEqual(sent.filter((text) => !withdrawn.includes(text)));
      expect(conversation?.waitingActions).toEqual([]);
      expect(talked.notices).toEqual([]);
      // A last message reaches the model with all that went before.
      session.send('The last one.');
      await Promise.race([talked.rest(), talked.state('waiting')]);
      const { messages } = rig.server.requests.at(-1)?.body as { readonly messages: readonly unknown[] };
      const body = JSON.stringify(messages);
      for (const text of [...logged, ...queued, 'The last one.'])
        expect(body.split(JSON.stringify(text).slice(1, -1))).toHaveLength(2);
      await session.close();
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
