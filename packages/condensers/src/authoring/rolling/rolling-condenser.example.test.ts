import { readFile } from 'node:fs/promises';
import { logBuilder } from '@palimpsest/events/testing';
import { condensation, isCondensation, NoCondensationAvailableError, View, ViewProjection } from '@palimpsest/view';
import { condenserContract } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { contractSeeds } from '../../../test-support/contract-seeds.js';
import { requirementOf, rollingCondenser } from '../index.js';

// #region example
const keepHalf = rollingCondenser({
  name: 'keepHalf',
  requirement: (view, context) => requirementOf(view, context, { maxSize: 80, maxTokens: undefined }),
  getCondensation: (view, { reasons }) =>
    condensation({
      view,
      start: 1,
      end: Math.floor(view.events.length / 2),
      summary: 'What was said before is in the log.',
      metadata: { condenser: 'keepHalf', reason: reasons.join(', '), tokensBefore: view.tokens() },
    }),
});
// #endregion

function longLog(steps: number) {
  const log = logBuilder();
  log.user('Make it work.');
  for (let step = 0; step < steps; step++) {
    log.call('run', { step }, `step ${step} went well, and this is what it said of itself`);
  }
  return log;
}

describe('a condenser of somebody else, put together from the rolling base', () => {
  condenserContract({ test, seeds: contractSeeds, create: () => keepHalf, actsOn: longLog(50).events });

  test('it condenses what has grown too long, again and again, and keeps the first words', async () => {
    const projection = new ViewProjection();
    let made = 0;
    for (const event of longLog(300).events) {
      projection.append(event);
      const result = await keepHalf.condense(projection.view, { report: () => {} });
      if (!isCondensation(result)) continue;
      made++;
      projection.append(result);
    }
    expect(made).toBeGreaterThan(8);
    expect(projection.view.events.length).toBeLessThanOrEqual(81);
    expect(projection.view.events.at(0)).toMatchObject({ type: 'message', source: 'user' });
  });

  test('asked where nothing may go, it says so', async () => {
    const log = logBuilder();
    log.user('Hello.');
    log.request();
    const asked = Promise.resolve(keepHalf.condense(View.fromEvents(log.events), { report: () => {} }));
    await expect(asked).rejects.toSatisfy((error: unknown) => NoCondensationAvailableError.isInstance(error));
  });
});

test('it is the code that stands in the documentation of the rolling base', async () => {
  const source = await readFile(new URL('rolling-condenser.example.test.ts', import.meta.url), 'utf8');
  const rolling = await readFile(new URL('rolling-condenser.ts', import.meta.url), 'utf8');
  const example = /\/\/ #region example\n([\s\S]*?)\/\/ #endregion/.exec(source)?.[1] ?? 'none';
  const documented = example
    .trimEnd()
    .split('\n')
    .map((line) => ` * ${line}`.trimEnd());
  expect(rolling).toContain(documented.join('\n'));
});
