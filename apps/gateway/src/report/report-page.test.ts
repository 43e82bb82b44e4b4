import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, startBrowser } from '../../test-support/browser.js';
import { hostile, keptData } from '../../test-support/kept-data.js';
import { readReport } from './read-report.js';
import { reportPage } from './report-page.js';
import { writeReportPage } from './write-page.js';

let data: string;
let file: string;
let page: string;
beforeAll(async () => {
  data = await keptData();
  file = await writeReportPage(data, await readReport(data), path.join(data, 'page.html'));
  page = await readFile(file, 'utf8');
}, 120_000);
afterAll(() => rm(data, { recursive: true }));

test('the policy of the page allows its style and nothing else, and no text of data is markup', () => {
  const [, policy = ''] = /Content-Security-Policy"\s+content="([^"]*)"/.exec(page) ?? [];
  expect(policy.replace(/sha256-[\w+/=]+/, 'sha256-…')).toBe(
    'default-src &#39;none&#39;; style-src &#39;sha256-…&#39;; img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;',
  );
  expect(page).not.toMatch(/<script|<img|\u001b|\u202e/);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});

test('a page without receipts says so', async () => {
  const report = await readReport(path.join(data, 'nothing'));
  expect(reportPage(report, [], new Date())).toContain('No receipts are kept here.');
});

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser()));
  afterAll(() => browser.close());

  test.each([
    [1_400, 'light'],
    [1_400, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)(
    'at %i pixels, %s, axe finds nothing, nothing is wider than the page, nothing is fetched',
    async (width, colorScheme) => {
      const opened = await browser.newPage({ viewport: { width, height: 844 }, colorScheme, bypassCSP: false });
      const problems: string[] = [];
      opened.on('console', (message) => problems.push(message.text()));
      opened.on('pageerror', ({ message }) => problems.push(message));
      opened.on('request', (request) => {
        if (request.url() !== pathToFileURL(file).href) problems.push(request.url());
      });
      await opened.goto(pathToFileURL(file).href);
      for (const summary of await opened.$$('summary')) await summary.click();
      expect(await opened.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(problems).toEqual([]);
      await opened.evaluate(await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
      const violations = await opened.evaluate<readonly string[]>(
        `axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations.map(({ id, nodes }) => id + ': ' + nodes[0]?.html))`,
      );
      expect(violations).toEqual([]);
      await opened.close();
    },
    60_000,
  );

  test('a conversation shows its chart, its bill beside the other one, and what each condensation did', async () => {
    const opened = await browser.newPage({ viewport: { width: 1_400, height: 844 } });
    await opened.goto(pathToFileURL(file).href);
    const { conversations } = await readReport(data);
    const [own] = conversations
      .filter(({ models }) => models.includes('claude-opus-4-5') && !models.includes(hostile))
      .slice(-1);
    const section = opened.locator(`#c-${own!.conversation}`);
    expect(await section.locator('svg[role=img]').getAttribute('aria-label')).toMatch(
      /^By request, the agent's own list grows to/,
    );
    expect(await section.locator('polyline').count()).toBe(2);
    expect(await section.locator('line.made').count()).toBe(own!.condensations);
    const items = await section.locator('ol li').allInnerTexts();
    expect(items).toHaveLength(own!.condensations);
    expect(items[0]).toMatch(/^Request \d+, .*because to read on would cost more than to write the rest anew\./);
    expect(items.join()).toMatch(/results, \d+ of read\b/);
    expect(items.join()).toMatch(/\d results? brought hidden text back before the next condensation, with/);
    // The summary stands in the store.
    expect(await section.locator('pre').first().textContent()).toMatch(/\w{20}|\w+ \w+/);
    await opened.close();
  });
});
