import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fact } from './fact.js';
import { Manifest } from './manifest.js';
import { headings } from './manifest.prompt.js';
import { renderManifest } from './render-manifest.js';

const log = logBuilder();
const said = log.user('Never touch the lock file.\nIt is generated.');
const thought = log.agent('I will look first.');
const byId = new Map<string, Event>(log.events.map((event) => [event.id, event]));
const positionOf = (id: string) => log.events.findIndex((event) => event.id === id);

const everything: readonly Fact[] = [
  { kind: 'words', by: 'user', eventId: said.id },
  { kind: 'words', by: 'agent', eventId: thought.id },
  { kind: 'task', task: { id: '1', title: 'Fix it', status: 'pending' } },
  { kind: 'task', task: { id: '2', title: 'Gone', status: 'done' } },
  { kind: 'file', path: 'read.ts', operation: 'read' },
  { kind: 'file', path: 'changed.ts', operation: 'read' },
  { kind: 'file', path: 'changed.ts', operation: 'modified' },
  { kind: 'command', command: 'npm test', status: 1 },
  { kind: 'command', command: 'npm test', status: 1 },
  { kind: 'command', command: 'ls', status: 0, onlyLooks: true },
  { kind: 'tests', of: 'npm test', failing: ['parses'], passing: [] },
  { kind: 'error', of: 'npm test', text: 'boom' },
  { kind: 'call', call: 'book(seats=2)', status: 'ok' },
  { kind: 'identifier', label: 'user_id', value: 'mia_1', used: true },
];

function render(facts: readonly Fact[], maxCharacters: number) {
  return renderManifest(new Manifest(facts), { events: 40, maxCharacters, original: (id) => byId.get(id), positionOf });
}

test('everything stands under its heading, the user first', () => {
  const text = render(everything, 10_000) ?? '';
  const [header, ...sections] = text.split('\n\n');
  expect(header).toContain('Summary of 40 earlier events');
  expect(sections).toEqual([
    `## ${headings.userWords}\n- Never touch the lock file.\nIt is generated.`,
    `## ${headings.tasks}\n- [pending] #1 Fix it`,
    `## ${headings.changedFiles}\n- changed.ts (read, modified)`,
    `## ${headings.failingTests}\n- parses`,
    `## ${headings.errors}\n- npm test: boom`,
    `## ${headings.commands}\n- npm test → exit 1, 2 times`,
    `## ${headings.calls}\n- book(seats=2) → ok`,
    `## ${headings.identifiers}\n- user_id: mia_1`,
    `## ${headings.readFiles}\n- read.ts`,
    `## ${headings.looks}\n- ls → exit 0`,
    `## ${headings.agentWords}\n- I will look first.`,
  ]);
});

test('what carries least is given up first, and the words of the user last', () => {
  const order = [
    headings.agentWords,
    headings.looks,
    headings.readFiles,
    headings.identifiers,
    headings.calls,
    headings.commands,
  ];
  let text = render(everything, 10_000) ?? '';
  const gone: string[] = [];
  for (let room = text.length; room > 300; room--) {
    text = render(everything, room) ?? '';
    for (const heading of order) if (!text.includes(heading) && !gone.includes(heading)) gone.push(heading);
    if (text.includes('##')) expect(text).toContain(headings.userWords);
  }
  expect(gone).toEqual(order);
});

test('it keeps within its room, or says that there is none', () => {
  expect(render(everything, 100)).toBeUndefined();
  const files = fc.array(fc.string({ minLength: 1, maxLength: 60 }), { maxLength: 200 });
  fc.assert(
    fc.property(files, fc.integer({ min: 0, max: 6_000 }), (paths, room) => {
      const facts = paths.map((path, index): Fact => ({
        kind: 'file',
        path,
        operation: index % 3 === 0 ? 'read' : 'modified',
      }));
      const text = render([...everything, ...facts], room);
      expect((text ?? '').length).toBeLessThanOrEqual(room);
    }),
    { seed: 20_261_121, numRuns: 300 },
  );
});

test('an answer belongs to what the agent said before it, in whatever order both were forgotten', () => {
  const talk = logBuilder();
  const [asked, answered, done, thanks] = [
    talk.agent('Shall I look it up in the store?'),
    talk.user('Yes, do that.'),
    talk.agent('It is in the store.'),
    talk.user('Thank you.'),
  ];
  const texts = new Map<string, Event>(talk.events.map((event) => [event.id, event]));
  // The first answer was kept at first, and forgotten later.
  const facts = [asked, done, thanks, answered].map(({ id }): Fact => ({
    kind: 'words',
    by: id === asked.id || id === done.id ? 'agent' : 'user',
    eventId: id,
  }));
  const text = renderManifest(new Manifest(facts), {
    events: 4,
    maxCharacters: 10_000,
    original: (id) => texts.get(id),
    positionOf: (id) => talk.events.findIndex((event) => event.id === id),
  });
  expect(text).toContain(
    `## ${headings.userWords}\n- Yes, do that.\n- Thank you.\n\n## ${headings.turns}\n- Shall I look it up in the store? → Yes, do that.\n- It is in the store. → Thank you.`,
  );
});
