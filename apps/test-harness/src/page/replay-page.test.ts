import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type Axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, openFile, startBrowser } from '../../test-support/browser.js';
import type { Look } from '../../test-support/browser.js';
import { codingSession } from '../../test-support/demo-sessions.js';
import { none, reportCondensers } from '../replay/named-policy.js';
import { namedPolicy, pricedPolicy, replayOfSession, sessionsOfText } from '../replay/replay-text.js';
import type { PricedSizes } from '../replay/replay-text.js';
import { condensedSessions, reportRows } from '../replay/report.js';
import { callsByModel, pricedAs, sessionPrices } from './priced-as.js';

/** What the build makes. */
const file = fileURLToPath(new URL('../../dist/replay-page/replay.html', import.meta.url));
const url = pathToFileURL(file).href;

const logOf = (steps: number, seed: number): string =>
  codingSession(steps, seed)
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');
const upload = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

test('what is painted first stands in the first 200 KB; what replays stands behind it', async () => {
  const html = await readFile(file, 'utf8');
  const place = (text: string): number => Buffer.byteLength(html.slice(0, html.indexOf(text)));
  expect(place('id="sample"')).toBeGreaterThan(place('id="sample-result"'));
  expect(place('id="sample"')).toBeLessThan(200_000);
  expect(place('id="program"')).toBeGreaterThan(place('id="sample"'));
});

test('its policy allows the script and the style in it, a thread from memory, and no connection', async () => {
  const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(await readFile(file, 'utf8')) ?? [];
  const directives = policy.split('; ').map((directive) => directive.replaceAll(/sha256-[\w+/=]+/g, 'sha256-…'));
  expect(directives).toEqual([
    "default-src 'none'",
    "script-src 'sha256-…'",
    "style-src 'sha256-…'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    'worker-src blob:',
  ]);
});

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await startBrowser();
    page = await browser.newPage();
  });
  afterAll(() => browser.close());
  const open = (look: Look = {}) => openFile(page, url, look);

  const states = () =>
    page.$$eval('#sessions ~ .wide tbody tr', (rows) =>
      rows.map((row) => `${row.querySelector('th')?.textContent}: ${row.querySelector('td:last-child')?.textContent}`),
    );
  const replayed = () =>
    page.waitForFunction(() => {
      const rows = [...document.querySelectorAll('#sessions ~ .wide tbody tr td:last-child')];
      return rows.length > 0 && rows.every((cell) => !['waits', 'is replayed'].includes(cell.textContent));
    });
  /** The exact figures of a table, by row. */
  const figures = (table: string) =>
    page.$$eval(`${table} tbody tr`, (rows) =>
      rows.map((row) => [...row.querySelectorAll('data')].map((each) => Number(each.value))),
    );

  /** What a replay in this process says: saved in the loop, in the worst session, forgotten. */
  async function expected(texts: readonly string[], sizes?: PricedSizes) {
    const read = await Promise.all(
      texts.map((text) =>
        sessionsOfText({
          file: 'x',
          blocks: async function* () {
            yield text;
          },
        }),
      ),
    );
    const sessions = read.flatMap((each) => each.sessions);
    const today = new Date();
    const priced = pricedAs(undefined, callsByModel(sessions.flatMap(({ events }) => events)), today);
    const pricesOf = (session: (typeof sessions)[number]) => sessionPrices(callsByModel(session.events), priced, today);
    const policies =
      sizes === undefined
        ? [none.name, ...reportCondensers].map(namedPolicy)
        : [namedPolicy(none.name), pricedPolicy(sizes)];
    const results = [];
    for (const session of sessions)
      results.push((await replayOfSession(session, { policies, prices: [], priced: pricesOf(session) })).replayed);
    const condensed = condensedSessions(results);
    return reportRows(condensed.length === 0 ? results : condensed).map(({ savings: [savings], recall }) => [
      savings?.inLoop.evidence?.pooled,
      savings?.inLoop.evidence?.worst,
      1 - recall,
    ]);
  }

  test('it shows the result of the sample at once', async () => {
    const { problems } = await open();
    expect(await page.textContent('main')).toContain('This is the sample');
    expect(await figures('#results')).toHaveLength(1 + reportCondensers.length);
    expect(await states()).toEqual(['long-session.jsonl: replayed', 'demo.jsonl: replayed']);
    expect(problems).toEqual([]);
  });

  test('chosen logs are replayed with the figures of the command, and nothing is requested', async () => {
    const texts = [logOf(40, 3), logOf(20, 4)];
    const { problems } = await open();
    await page.setInputFiles('#files', [
      upload('one.jsonl', texts[0] ?? ''),
      upload('two.jsonl', texts[1] ?? ''),
      upload('prose.txt', 'no log'),
    ]);
    await replayed();
    expect((await states()).sort()).toEqual(['one.jsonl: replayed', 'two.jsonl: nothing to condense']);
    expect(await figures('#results')).toEqual(await expected(texts));
    expect(await page.textContent('#sessions ~ details')).toContain("'prose.txt' is not a session log");
    expect(problems).toEqual([]);
  });

  test('a pasted list of messages is replayed', async () => {
    const { problems } = await open();
    const messages = Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0
        ? { role: 'user', content: `Question ${index}` }
        : { role: 'assistant', content: `Answer ${index}` },
    );
    await page.getByText('Paste a log').click();
    await page.getByLabel('A log of an agent').fill(JSON.stringify(messages));
    await page.getByRole('button', { name: 'Replay the text' }).click();
    await replayed();
    // What is as short as this has no table of zeros.
    expect(await states()).toEqual(['pasted text: nothing to condense']);
    expect(await page.textContent('#headline')).toContain('No policy that was tried had anything to condense in it');
    expect(await page.locator('#results, #policies').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('a file that is too large is refused with the bound', async () => {
    await open();
    await page.evaluate(() => {
      const large = new File([new Uint8Array(100_000_001)], 'large.jsonl');
      const given = new DataTransfer();
      given.items.add(large);
      const chooser = document.querySelector<HTMLInputElement>('#files');
      if (chooser === null) throw new Error('there is no input');
      chooser.files = given.files;
      chooser.dispatchEvent(new Event('change'));
    });
    await page.waitForSelector('#sessions ~ details');
    expect(await page.textContent('#sessions ~ details')).toMatch(/large\.jsonl.*at most 100 MB/s);
  });

  test('dropped files are replayed; a replay can be stopped and gone on with', async () => {
    const { problems } = await open();
    const texts = [logOf(150, 5), logOf(12, 6)];
    await page.evaluate((given) => {
      const dropped = new DataTransfer();
      for (const [index, text] of given.entries())
        dropped.items.add(new File([text], `${index}.jsonl`, { lastModified: 10 - index }));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true, cancelable: true }));
    }, texts);
    await page.getByText('is replayed').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await states()).toEqual(['0.jsonl: waits', '1.jsonl: waits']);
    await page.getByRole('button', { name: /Replay the other/ }).click();
    await replayed();
    expect(await states()).toEqual(['0.jsonl: replayed', '1.jsonl: nothing to condense']);
    expect(problems).toEqual([]);
  });

  test('neither the page nor its thread reaches a server that is there', async () => {
    let connections = 0;
    const server = createServer((_, response) => response.end('reached'));
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    try {
      const { port } = server.address() as AddressInfo;
      const address = `http://127.0.0.1:${port}/`;
      await open();
      await page.setInputFiles('#files', [upload('one.jsonl', logOf(12, 7))]);
      await replayed();
      const [thread] = page.workers();
      const attempt = async (to: string): Promise<string> => {
        const blocked = new Promise<string>((resolve) => {
          addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective));
        });
        return Promise.race([
          blocked,
          fetch(to).then(
            () => 'reached',
            () => blocked,
          ),
        ]);
      };
      expect(await page.evaluate(attempt, address)).toBe('connect-src');
      expect(await thread?.evaluate(attempt, address)).toBe('connect-src');
      const image = await page.evaluate((to) => {
        navigator.sendBeacon(to, 'text');
        const element = new Image();
        return new Promise<string>((resolve) => {
          element.addEventListener('error', () => resolve('blocked'));
          element.addEventListener('load', () => resolve('loaded'));
          element.src = `${to}image.png`;
        });
      }, address);
      expect(image).toBe('blocked');
      expect(connections).toBe(0);
    } finally {
      server.close();
    }
  });

  test('the sizes of priced are tried when a slider is let go, and stand in the lines to copy', async () => {
    const text = logOf(150, 8);
    const { problems } = await open();
    await page.setInputFiles('#files', [upload('long.jsonl', text)]);
    await replayed();
    expect(await page.textContent('#own-lines')).toBe(
      [
        "import { pricedCondenser } from '@palimpsest/condensers';",
        "import { chatMessages, condensedHistory } from '@palimpsest/messages';",
        'const history = condensedHistory({ condenser: pricedCondenser(), codec: chatMessages(), model });',
        'const { messages } = await history.fit(conversation, { tools }); // before each request',
      ].join('\n'),
    );
    // By keyboard, as a person without a mouse does.
    await page.getByRole('slider', { name: 'The size after condensing' }).focus();
    await page.keyboard.press('Home');
    const row = page.locator('#sizes-tried tbody tr', { hasText: '4,000 tokens, 2,000 of them lines' });
    await row.waitFor();
    const shown = await row
      .locator('data')
      .evaluateAll((cells) => cells.map((cell) => Number((cell as HTMLDataElement).value)));
    const [, own] = await expected([text], { targetTokens: 4_000, maxLineTokens: 2_000 });
    expect(shown).toEqual([own?.[0], own?.[2]]);
    await page.getByRole('combobox', { name: 'Framework' }).selectOption('AI SDK');
    expect(await page.textContent('#own-lines')).toContain('targetTokens: 4000, maxLineTokens: 2000');
    expect(await page.textContent('#own-lines')).toContain('condensing({ condenser: pricedCondenser({ stages }) })');
    await page.getByRole('button', { name: 'Copy the lines' }).click();
    await page.getByText(/^(Copied\.|Selected;)/).waitFor();
    expect(problems).toEqual([]);
  });

  test('the sample can be tried with other sizes, and shown call by call', async () => {
    const { problems } = await open();
    await page.getByRole('slider', { name: 'The size after condensing' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('#sizes-tried tbody tr', { hasText: '11,000 tokens' }).waitFor();
    await page.getByRole('button', { name: 'Show the session call by call' }).click();
    await page.waitForSelector('#session-name');
    expect(await page.textContent('#session')).toContain('What the model would have read');
    expect(problems).toEqual([]);
  });

  test('every control is reached by Tab, in the order of the page', async () => {
    await open();
    const reached: string[] = [];
    for (let count = 0; count < 40; count++) {
      await page.keyboard.press('Tab');
      const name = await page.evaluate(() => {
        const at = document.activeElement;
        return at === document.body
          ? ''
          : (at?.getAttribute('aria-label') ?? at?.id ?? '') || (at?.textContent ?? '') || (at?.tagName ?? '');
      });
      if (name === '') break;
      reached.push(name.slice(0, 40));
    }
    const order = [
      'files',
      'Paste a log or a list of messages',
      'take-sample',
      'priced',
      'demo.jsonl',
      'Copy the lines',
    ];
    expect(reached.filter((name) => order.includes(name))).toEqual(order);
  });

  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('at %i pixels, %s, axe finds nothing and nothing is wider than the page', async (width, colorScheme) => {
    const { problems } = await open({ viewport: { width, height: 844 }, colorScheme });
    await page.evaluate(await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
    const violations = () =>
      page.evaluate(async () => {
        const { axe } = globalThis as unknown as { readonly axe: typeof Axe };
        const found = await axe.run(document, { resultTypes: ['violations'] });
        return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
      });
    expect(await violations()).toEqual([]);
    for (const summary of await page.$$('summary')) await summary.click();
    // The shorter one.
    await page.getByRole('button', { name: 'demo.jsonl' }).click();
    await page.getByRole('button', { name: 'Show the session call by call' }).click();
    await page.waitForSelector('#session-name');
    expect(await violations()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    // The one table is seen whole.
    const hidden = await page.$eval('#results', ({ parentElement: place }) => place!.scrollWidth - place!.clientWidth);
    expect(hidden).toBe(0);
    expect(problems).toEqual([]);
  });
});
