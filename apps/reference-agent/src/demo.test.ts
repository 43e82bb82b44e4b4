import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noOpCondenser } from '@palimpsest/condensers';
import type { ActionEvent, Event, Message } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import type { Condenser } from '@palimpsest/view';
import { View } from '@palimpsest/view';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCondenser } from './demo-condenser.js';
import { runDemo } from './demo.js';
import type { DemoReport } from './demo.js';
import { offlineModel } from './offline-model/offline-model.js';
import { recollect } from './offline-model/recollection.js';
import type { PlanStep } from './offline-model/plan.js';
import { samplePlan } from './offline-model/sample-plan/index.js';
import { nodeWithFewTests, pathWithNode } from '../test-support/stand-in-node.js';
import { withoutSuites } from '../test-support/without-suites.js';
import { copyWorkspace } from './workspace-copy.js';

const sampleProject = fileURLToPath(new URL('../sample-project/', import.meta.url));
const patience = 600_000;

interface Demo {
  readonly report: DemoReport;
  /** As they were read back from disk. */
  readonly events: readonly Event[];
}

let logDirectory: string;
let condensed: Demo;
let uncondensed: Demo;

async function demoWith(condenser: Condenser, plan: readonly PlanStep[]): Promise<Demo> {
  const { workspace, remove } = await copyWorkspace(sampleProject);
  try {
    const llm = offlineModel({ plan });
    const report = await runDemo({ workspace, logDirectory, llm, condenser });
    const events: Event[] = [];
    for await (const event of fileEventStore({ directory: logDirectory }).read(report.conversationId))
      events.push(event);
    return { report, events };
  } finally {
    await remove();
  }
}

beforeAll(async () => {
  logDirectory = await mkdtemp(join(tmpdir(), 'palimpsest-demo-test-'));
  // All tests are run by the built command, in its own test.
  vi.stubEnv('PATH', await pathWithNode(nodeWithFewTests, join(logDirectory, 'bin')));
  condensed = await demoWith(await demoCondenser(), samplePlan);
  // The sources are read, tried out and edited as with condensation; all tests are run at the end alone.
  uncondensed = await demoWith(
    noOpCondenser(),
    withoutSuites(samplePlan).filter(({ name }) => name !== 'report/all'),
  );
  vi.unstubAllEnvs();
}, patience);

afterAll(() => rm(logDirectory, { recursive: true, force: true }));

/** The responses in which the model read a file again before it edited it. */
function readingsAgain(events: readonly Event[]): readonly ActionEvent[] {
  return events.flatMap((event) =>
    event.type === 'action' &&
    event.thought.some((part) => part.type === 'text' && /\[[^\]]*, again\]$/.test(part.text))
      ? [event]
      : [],
  );
}

/** What the model was sent before a response of a log. */
function sentBefore(events: readonly Event[], response: Event): readonly Message[] {
  return View.fromEvents(events.slice(0, events.indexOf(response))).toMessages();
}

/** The text that the edit right after a reading replaces. */
function anchorAfter(events: readonly Event[], reading: Event): string {
  const edit = events
    .slice(events.indexOf(reading))
    .find((event) => event.type === 'action' && event.toolCall.name === 'edit_file') as ActionEvent;
  return String((JSON.parse(edit.toolCall.arguments) as { old_text: string }).old_text);
}

const isCondensation = (event: Event) => event.type === 'condensation';

test('the work is done: at least 60 steps and 2 condensations, and the tests pass in the end', () => {
  expect(condensed.report.failure).toBeUndefined();
  expect(condensed.report.steps).toBeGreaterThanOrEqual(60);
  expect(condensed.report.condensations).toBeGreaterThanOrEqual(2);
  expect(condensed.report.forgotten).toBeGreaterThan(0);
  expect(condensed.report.tests).toMatchObject({
    exitStatus: 0,
    output: expect.stringMatching(/failed 0\n$/) as string,
  });
  expect(condensed.report.answer).toMatch(/^All \d+ tests pass\./);
});

test('a test fails at first, and the same command passes later', () => {
  const statuses = condensed.events.flatMap((event) =>
    event.type === 'observation' && String(event.details?.command).endsWith('reporter.js')
      ? [event.details?.exitStatus]
      : [],
  );
  expect(statuses[0]).toBe(1);
  expect(statuses.at(-1)).toBe(0);
});

describe('an edit whose text was condensed away', () => {
  test('is made after the file was read again, because the text was not in the messages', () => {
    const { events } = condensed;
    const readings = readingsAgain(events);
    expect(readings.length).toBeGreaterThan(0);
    for (const reading of readings) {
      const anchor = anchorAfter(events, reading);
      expect(recollect(sentBefore(events, reading)).shows(anchor)).toBe(false);
      // Condensation is the cause: the same log without it still shows the text, and would have needed no reading.
      const whole = events.filter((event) => !isCondensation(event));
      expect(recollect(sentBefore(whole, reading)).shows(anchor)).toBe(true);
    }
  });

  test('needs no second reading where nothing is condensed', () => {
    expect(uncondensed.report.condensations).toBe(0);
    expect(readingsAgain(uncondensed.events)).toEqual([]);
    expect(uncondensed.report.steps).toBeGreaterThanOrEqual(60);
    expect(uncondensed.report.tests?.exitStatus).toBe(0);
  });
});

test('the account: what was sent is less than what the same steps would have sent', () => {
  const { report, events } = condensed;
  expect(report.tokensSent).toBeLessThan(report.tokensUncondensed);
  expect(report.peakSent).toBeLessThan(report.peakUncondensed);
  // What pays is money: the rewritten part is written to the cache again.
  expect(report.costUsd).toBeLessThan(report.costUncondensedUsd * 0.8);
  expect(uncondensed.report.costUsd).toBe(uncondensed.report.costUncondensedUsd);
  expect(uncondensed.report.tokensSent).toBe(uncondensed.report.tokensUncondensed);
  const calls = events.filter((event) => event.type === 'llm-usage');
  expect(report.steps).toBe(calls.length);
});

test('the log says nothing of where the workspace lay on this machine', () => {
  for (const { events } of [condensed, uncondensed]) {
    expect(JSON.stringify(events)).not.toContain(tmpdir());
    expect(JSON.stringify(events)).not.toContain('palimpsest-demo-');
  }
});
