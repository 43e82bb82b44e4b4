import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type Axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, openFile, startBrowser } from '../../../test-support/browser.js';
import { harness } from '../../../test-support/harness.js';
import type { Comparison } from '../../compare/comparison.js';
import type { Trial } from '../../live/trial.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-compare-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Twelve tasks: the cheap arm costs half and forgets four of them, the dear one costs a tenth more and differs in nothing else. */
function results(): readonly Trial[] {
  return Array.from({ length: 12 }, (_, index) => index + 1).flatMap((task) => {
    const size = 0.1 * task;
    const common = { type: 'trial', task: `task-${task}`, family: 'made', trial: 1, agent: { name: 'agent' } } as const;
    return [
      { ...common, arm: 'none', solved: task !== 3, costUsd: size, steps: 20 + task },
      { ...common, arm: 'cheap', solved: task > 8, costUsd: size * (0.5 + task / 100), steps: 20 + task },
      {
        ...common,
        arm: '<dear>',
        solved: task !== 3,
        costUsd: size * (1.1 + task / 200),
        steps: 22 + task,
        stopped: 'time',
      },
    ];
  });
}

async function written(name: string, trials: readonly Trial[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, trials.map((trial) => `${JSON.stringify(trial)}\n`).join(''));
  return file;
}

test('losses come first: lost tasks before what costs more, and then the tables', async () => {
  const { code, stdout } = await harness('compare', await written('results.jsonl', results()));
  expect(code).toBe(0);
  const [title, ...lines] = stdout.split('\n');
  expect(title).toBe('Losses');
  expect(lines[0]).toBe('cheap solves fewer (−58.3 points, 95 % interval −91.1 to −25.6 points, p 0.016) than none.');
  expect(lines[1]).toContain('cheap solves 7 tasks less often, and 0 more often: task-1 (1/1 → 0/1), task-2');
  expect(lines[2]).toMatch(/^<dear> costs more \(\+1\d\.\d %, 95 % interval \+1\d\.\d to \+1\d\.\d %\) than none\.$/);
  expect(stdout).toMatch(/<dear>: 12 of 12 trials did not end by themselves/);
  expect(stdout).toMatch(/^solved +91\.7 % +33\.3 % .* solves fewer$/m);
  expect(stdout).toMatch(/^cost .* costs less$/m);
  expect(stdout).toContain('2 arms are compared');
});

test('in place of a claim it says how many tasks would be needed', async () => {
  const trials = results().map((trial) => ({ ...trial, costUsd: trial.trial * (trial.arm === 'none' ? 1 : 0.97) }));
  const noisy = trials.map((trial, index) => ({ ...trial, costUsd: trial.costUsd * (1 + ((index * 7) % 11) / 20) }));
  const { stdout } = await harness('compare', await written('noisy.jsonl', noisy));
  expect(stdout).toMatch(/No difference could be seen: \d+ more tasks would be needed/);
});

test('JSON holds the same; another arm can be the one beside which the others stand', async () => {
  const file = await written('results.jsonl', results());
  const { stdout } = await harness('compare', file, '--json', '--beside', 'cheap');
  const { beside, comparisons } = JSON.parse(stdout) as Comparison;
  expect(beside).toBe('cheap');
  expect(comparisons.map(({ arm, won }) => [arm, won.length])).toEqual([
    ['<dear>', 7],
    ['none', 7],
  ]);
});

test('one arm, and an arm that is not there, are status 2 with what is there', async () => {
  const alone = await written(
    'alone.jsonl',
    results().filter(({ arm }) => arm === 'none'),
  );
  expect(await harness('compare', alone)).toMatchObject({ code: 2, stderr: expect.stringContaining("'none'") });
  const all = await written('results.jsonl', results());
  const { code, stderr } = await harness('compare', all, '--beside', 'nothing');
  expect(code).toBe(2);
  expect(stderr).toContain("'none', 'cheap', '<dear>'");
});

/** Returns what keeps people from using the page. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: typeof Axe };
    const found = await axe.run(document, { resultTypes: ['violations'] });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
  });
}

describe.skipIf(chromiumPath === undefined)('the page', () => {
  let browser: Browser;
  let page: Page;
  let url: string;
  beforeAll(async () => {
    const file = join(folder, 'page.html');
    const { stdout } = await harness('compare', await written('results.jsonl', results()), '--html', file);
    url = pathToFileURL(file).href;
    expect(stdout).toContain(url);
    browser = await startBrowser();
    page = await browser.newPage();
  });
  afterAll(() => browser.close());

  test('shows losses first, then the intervals and the figures of each arm', async () => {
    const { problems } = await openFile(page, url);
    expect(await page.locator('main section h2').allTextContents()).toEqual([
      'Losses',
      'What was seen, and how surely',
      'cheap beside none',
      '<dear> beside none',
      'All trials',
    ]);
    expect(await page.locator('li.loss').first().textContent()).toContain('cheap solves fewer');
    expect(await page.locator('figure svg g.worse').count()).toBe(2);
    const solved = page.locator('tr[data-measure=solved] data');
    expect(Number(await solved.first().getAttribute('value'))).toBeCloseTo(-7 / 12, 10);
    expect(problems).toEqual([]);
  });

  test.each([
    [390, 'dark'],
    [390, 'light'],
    [1400, 'dark'],
    [1400, 'light'],
  ] as const)('at %i pixels, %s, axe finds nothing and nothing is wider than the page', async (width, colorScheme) => {
    await openFile(page, url, { viewport: { width, height: 900 }, colorScheme });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await violations(page)).toEqual([]);
  });
});
