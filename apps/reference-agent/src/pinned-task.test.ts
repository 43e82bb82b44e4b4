import { addressOf } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { calls, says, toolCall } from '../test-support/chat-server.js';
import { interactiveRig } from '../test-support/interactive-rig.js';
import { typedCommands } from '../test-support/typed-commands.js';

/** A pin in a whole task, over HTTP: it holds through a mark of the model, a condensation, and what the agent does when nothing fits. */

const linesOf = (name: string, count: number): string =>
  Array.from({ length: count }, (_, line) => `${name} ${line}: a line of ${name}\n`).join('');
const small = ['harbour', 'meadow', 'castle'];
const large = ['oats', 'barley', 'millet', 'rye', 'wheat', 'maize', 'rice', 'spelt'];
const files = Object.fromEntries([
  ...small.map((name) => [`${name}.txt`, linesOf(name, 60)]),
  ...large.map((name) => [`${name}.txt`, linesOf(name, 500)]),
]);
/** Unit: tokens. */
const contextWindow = 10_000;
const state = {
  user_context: 'Read them.',
  completed_tasks: 'The small files were read.',
  pending_tasks: 'The large files.',
  current_state: 'All is well.',
};

const isSummary = (body: unknown): boolean => JSON.stringify(body).includes('You keep the memory of an agent');

test('what is pinned is whole in every request: after a mark of it, after condensations, and after the last resort', async () => {
  const steps: (() => object)[] = [];
  const rig = await interactiveRig(
    {
      contextWindow,
      reply: (body) => {
        if (isSummary(body)) return says(JSON.stringify(state));
        return (steps.shift()?.() ?? says('There is nothing more to do.')) as ReturnType<typeof says>;
      },
    },
    files,
  );
  const read =
    (...names: readonly string[]) =>
    () =>
      calls(null, ...names.map((name) => toolCall('read_file', { path: `${name}.txt` }, `read-${name}`)));
  const talked = await rig.open({ yolo: true });
  const screen = typedCommands(talked.session);
  const conversation = talked.session.opened?.conversation ?? expect.fail('no session is open');
  const isWhole = (name: string, body: unknown): boolean => {
    const sent = JSON.stringify(body);
    return sent.includes(`${name} 0: a line`) && sent.includes(`${name} 59: a line`);
  };
  const holds = (name: string): boolean => isWhole(name, rig.server.requests.at(-1)?.body);
  const addressOfFile = (name: string): string => {
    const result = [...conversation.view.events].find((event) => isResultOf(event, name));
    return addressOf(result?.id ?? expect.fail(`${name} was not read`));
  };

  for (const name of small) steps.push(read(name));
  steps.push(() => says('The small ones are read.'));
  await talked.said('Read the small files.');
  expect(await screen.type(`/pin ${addressOfFile('harbour')}`)).toContain('Pinned: ');
  const asked = rig.server.requests.length;

  const mark = (name: string) => () => {
    const input = { event_id: addressOfFile(name), summary_text: `${name} is of no use.` };
    return calls(null, toolCall('relevance_condenser', input, `mark-${name}`));
  };
  steps.push(mark('harbour'), mark('meadow'), () => says('Marked.'));
  await talked.said('Let go what is of no use.');
  expect(await screen.type('/compact')).not.toContain('interrupted');
  await talked.said('And now?');
  expect([holds('harbour'), holds('meadow')]).toEqual([true, false]);

  expect(await screen.type('/compact the large files come next')).toContain('structuredSummary');
  await talked.said('And now?');
  expect([holds('harbour'), holds('castle')]).toEqual([true, false]);

  // What is read at once does not fit, however what stood before is condensed.
  steps.push(read(...large));
  await talked.said('Read the large files, all at once.');
  const reasons = conversation.view.condensations.map(({ metadata }) => metadata?.['reason']);
  expect(reasons).toContain('hard-reset');
  expect(talked.notices).toEqual([]);
  const last = rig.server.requests.at(-1);
  expect(JSON.stringify(last?.body).length / 4).toBeLessThan(contextWindow);
  const since = rig.server.requests.slice(asked).map(({ body }) => body);
  const ofAgent = since.filter((body) => !isSummary(body));
  expect(ofAgent.length).toBeGreaterThan(6);
  expect(ofAgent.every((body) => isWhole('harbour', body))).toBe(true);
  expect(large.filter(holds)).toEqual([]);
  expect(await screen.type('/pin list')).toContain('harbour.txt');
  expect(await screen.type('/view')).toMatch(/result of read_file · \w{8} · [\d,]+ tokens · pinned/);
});

function isResultOf(event: Event, name: string): boolean {
  return (
    event.type === 'observation' &&
    event.toolName === 'read_file' &&
    JSON.stringify(event.content).includes(`${name} 0: a line`)
  );
}
