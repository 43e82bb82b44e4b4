import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { toolSets } from '../../../test-support/tool-sets.js';
import type { ToolSet, ToolUse } from '../../../test-support/tool-sets.js';
import { fewer } from '../../../test-support/fewer.js';
import { readFacts } from './event-facts.js';
import { Manifest } from './manifest.js';

/** A session of one agent, and what its calls really did: `created src/a.ts`, `exit 1: npm test 3`. */
function session(tools: ToolSet, seed: number) {
  const next = randomNumbers(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item;
  const log = logBuilder();
  const truth = new Set<string>();
  const files = new Map<string, string>();
  const use = ({ name, input, answer }: ToolUse): void => void log.call(name, input, answer);
  const run = (command: string, status: number, output: string): void => {
    use(tools.run(command, status, output));
    truth.add(`exit ${status}: ${command}`);
  };
  const newPath = (): string =>
    `${pick(['src', 'lib/core', 'tests'])}/${pick(words)}-${files.size}-${log.events.length}.${pick(['ts', 'py', 'md'])}`;
  const gone = (path: string): void => void files.delete(path);
  log.user('Make it work.');
  for (let step = 0; step < 40; step++) {
    const known = [...files.keys()];
    const path = known.length === 0 ? undefined : pick(known);
    const deed =
      path === undefined ? 'create' : pick(['read', 'create', 'modify', 'modify', 'remove', 'move', 'run', 'look']);
    if (deed === 'create' || path === undefined) {
      const created = newPath();
      const text = fileText(pick(words), step);
      use(tools.create(created, text));
      files.set(created, text);
      truth.add(`created ${created}`);
    } else if (deed === 'read') {
      use(tools.read(path, files.get(path) ?? ''));
      truth.add(`read ${path}`);
      if (tools.name === 'patches in a shell') truth.add(`exit 0: sed -n '1,200p' ${path}`);
    } else if (deed === 'modify') {
      const before = files.get(path) ?? '';
      const after = fileText(pick(words), step);
      use(tools.modify(path, before, after));
      files.set(path, after);
      truth.add(`modified ${path}`);
    } else if (deed === 'remove') {
      if (tools.remove === undefined) run(`rm ${path}`, 0, '');
      else use(tools.remove(path));
      gone(path);
      truth.add(`deleted ${path}`);
    } else if (deed === 'move') {
      const to = newPath();
      if (tools.move === undefined) run(`mv ${path} ${to}`, 0, '');
      else use(tools.move(path, to));
      files.set(to, files.get(path) ?? '');
      gone(path);
      truth.add(`deleted ${path}`).add(`created ${to}`);
    } else if (deed === 'run') {
      run(`npm run ${pick(words)}-${step}`, pick([0, 0, 1, 2]), `${pick(words)} took 3 s\nall was looked at`);
    } else {
      use(tools.look(pick(['src', 'lib']), pick(words)));
    }
  }
  return { events: log.events, truth };
}

const words = ['parser', 'router', 'ledger', 'window', 'cursor', 'harbour'];

function fileText(word: string, step: number): string {
  return `export function ${word}${step}(input) {\n  return input.${word} + ${step};\n}`;
}

/** The same numbers for the same seed: a linear congruential generator. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** What the manifest of a session says, in the words of the truth. */
function told(events: ReturnType<typeof session>['events']): ReadonlySet<string> {
  const view = View.fromEvents(events);
  const manifest = new Manifest();
  readFacts(view.events, view, manifest);
  return new Set([
    ...manifest.files.flatMap(({ path, operations }) => operations.map((operation) => `${operation} ${path}`)),
    // Some tools state a status only if it is another than 0.
    ...manifest.commands.map(({ text, status }) => `exit ${status === 'ok' ? 0 : status}: ${text}`),
  ]);
}

interface Score {
  hits: number;
  told: number;
  true: number;
  readonly wrong: string[];
}

const f1 = ({ hits, told, true: real }: Score): number => (told + real === 0 ? 0 : (2 * hits) / (told + real));

function scoreOf(tools: ToolSet, seeds: number): Score {
  const score: Score = { hits: 0, told: 0, true: 0, wrong: [] };
  for (let seed = 1; seed <= seeds; seed++) {
    const { events, truth } = session(tools, seed);
    const said = told(events);
    score.told += said.size;
    score.true += truth.size;
    for (const one of said)
      if (truth.has(one)) score.hits++;
      else score.wrong.push(`said, not done: ${one}`);
    for (const one of truth) if (!said.has(one)) score.wrong.push(`done, not said: ${one}`);
  }
  return score;
}

test('of sessions with tools that it was not written for, the manifest says what was done: F1 of at least 0.99', () => {
  const all: Score = { hits: 0, told: 0, true: 0, wrong: [] };
  const lines: string[] = [];
  for (const tools of toolSets) {
    const score = scoreOf(tools, fewer(20));
    lines.push(
      `${f1(score).toFixed(4)}  ${tools.name}${score.wrong.length === 0 ? '' : `; ${score.wrong.length} wrong, such as: ${score.wrong[0]}`}`,
    );
    all.hits += score.hits;
    all.told += score.told;
    all.true += score.true;
  }
  console.log([`F1 of the manifest, ${all.true} facts: ${f1(all).toFixed(4)}`, ...lines].join('\n  '));
  expect(all.true).toBeGreaterThan(fewer(3_000));
  expect(f1(all)).toBeGreaterThanOrEqual(0.99);
});

test('the measure can fail: a tool that says nothing of what it did lowers it', () => {
  const [tools] = toolSets;
  if (tools === undefined) throw new Error('there are no tools');
  const silent: ToolSet = { ...tools, modify: () => ({ name: 'go', input: { how: 'on' }, answer: 'ok' }) };
  expect(f1(scoreOf(silent, 3))).toBeLessThan(0.95);
});
