import { readFileSync } from 'node:fs';
import { logBuilder } from '@palimpsest/events/testing';
import { describe, expect, it, test } from 'vitest';
import { ViewProjection, condensation } from './index.js';
import type { Condenser } from './index.js';
import { condenserContract } from './testing/index.js';

function sessionLog() {
  const log = logBuilder();
  log.system();
  log.user('What is in a.ts?');
  log.call('read', { path: 'a.ts' }, 'export {};');
  log.call('read', { path: 'b.ts' }, 'export {};');
  log.user('And now?');
  return log;
}

/** Long after the first and before the latest user message. */
function longLog() {
  const log = logBuilder();
  log.user('Read all files.');
  for (let file = 1; file <= 40; file++) log.call('read', { path: `${file}.ts` }, 'export {};');
  log.user('And now?');
  return log;
}

it('does what the README says, in the words of the README', () => {
  const log = sessionLog();
  // example
  const projection = new ViewProjection();
  for (const event of log.events) projection.append(event); // and each new event as it comes

  const { view } = projection;
  console.log(view.events.length, view.tokens(), [...view.cutPoints]); // 7 events, cut points 0 1 2 4 6 7

  // Forget the two calls in the middle, and say what they were:
  const forgetting = condensation({ view, start: 2, end: 6, summary: 'Two files were read.' });
  projection.append(forgetting); // into your log, too: it is an event like any other

  const messages = projection.view.toMessages(); // the system prompt, then the user's words around the summary
  const original = projection.view.original(forgetting.forgottenEventIds[0] ?? ''); // nothing is lost
  // end
  expect([view.events.length, [...view.cutPoints]]).toEqual([7, [0, 1, 2, 4, 6, 7]]);
  expect(messages.map(({ role, content }) => [role, content.length])).toEqual([
    ['system', 1],
    ['user', 3],
  ]);
  expect(original).toBe(log.events[2]);
  expect(shown(0)).toEqual(written('example'));
});

describe('the condenser of the README keeps the contract', () => {
  // condenser
  const keepNewest: Condenser = {
    name: 'keep-newest',
    handlesCondensationRequests: true,
    condense(view) {
      if (view.events.length <= 40 && !view.unhandledCondensationRequest) return view;
      return condensation({ view, start: 0, end: view.events.length - 20 });
    },
  };
  condenserContract({ test, create: () => keepNewest, actsOn: longLog().events });
  // end

  it('in the words of the README', () => expect(shown(1)).toEqual(written('condenser')));
});

function shown(index: number): readonly string[] {
  return lines(read('../README.md').split('```ts\n')[index + 1]?.split('```')[0]);
}

function written(name: string): readonly string[] {
  return lines(read('readme.test.ts').split(`// ${name}\n`)[1]?.split('// end\n')[0]);
}

function lines(text = ''): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}
