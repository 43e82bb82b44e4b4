import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileEventStore } from '@palimpsest/events/file';
import { logBuilder } from '@palimpsest/events/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { chromiumPath, openFile, startBrowser } from '../../test-support/browser.js';
import type { Look } from '../../test-support/browser.js';
import { writeDemoSessions } from '../../test-support/demo-sessions.js';
import { builtHarness, harness as ownHarness } from '../../test-support/harness.js';
import type { Outcome } from '../../test-support/harness.js';
import type { PageData } from '../page/page-data.js';
import { pageWriter } from '../page/write-page.js';
import type { ReplayedSession } from '../replay/replayed-session.js';
import { billWithRereads } from '../replay/savings.js';
import type { ReplayRow } from '../replay/report.js';
import type { SessionTimeline } from '../replay/timeline.js';

/** Text that does harm where it is read as markup or as a program. Each stands in the page as it is. */
const hostile = [
  '<script>window.hacked = 1</script>',
  '</script><script>window.hacked = 2</script>',
  '<img src=x onerror="window.hacked = 3">',
  '<!-- <script>',
  '\u2028window.hacked = 4\u2029',
  '\u001b[31mred\u001b[0m',
  'javascript:window.hacked=5',
];
/** Words that stand nowhere but in the sessions. */
const secrets = [
  'zebrafish-in-user',
  'zebrafish-in-thought',
  'zebrafish-in-arguments',
  'zebrafish-in-result',
  'zebrafish-in-name',
];

let folder: string;
let browser: Browser | undefined;
let rows: readonly ReplayRow[];
const file = (name: string): string => join(folder, name);
const url = (name: string): string => pathToFileURL(file(name)).href;

/** Where nothing is found besides what a test puts there. */
function surroundings(home: string): Readonly<Record<string, string>> {
  const unset = { XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '', XDG_DATA_HOME: '', CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' };
  return { HOME: home, ...unset };
}

/** The command in this process and thread, in the folder. */
async function harness(parameters: readonly string[], home = folder): Promise<Outcome> {
  for (const [name, value] of Object.entries(surroundings(home))) vi.stubEnv(name, value);
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await ownHarness(...parameters);
  } finally {
    process.chdir(before);
    vi.unstubAllEnvs();
  }
}

const compared = ['-c', 'observationMasking', '-c', 'extractiveSummary', '-c', 'recentEvents'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-report-'));
  await writeDemoSessions(file('sessions'), [90, 80, 70]);
  await writeDemoSessions(file('short'), [12, 3]);
  const log = logBuilder({ idPrefix: 'h' });
  log.system('You are careful.');
  log.user(`${hostile.join('\n')} ${secrets[0]}`);
  for (let step = 0; step < 40; step++) {
    const thought = [{ type: 'text' as const, text: `${secrets[1]} ${hostile[step % hostile.length]}` }];
    const extra = { thought };
    log.call(
      'read_file',
      { path: `src/${step}.ts`, note: `${secrets[2]} ${hostile.join(' ')}` },
      `${secrets[3]} ${hostile.join('\n').repeat(20)}`,
      extra,
    );
  }
  await fileEventStore({ directory: file('sessions') }).append(secrets[4] ?? '', log.events);
  const [page, redacted, replay] = [
    // The built command, in its threads.
    await builtHarness(['report', 'sessions', ...compared, '-o', 'page.html', '--model', 'claude-sonnet-5-5'], {
      cwd: folder,
      env: { ...process.env, ...surroundings(folder) },
    }),
    await harness(['report', 'sessions', ...compared, '-o', 'redacted.html', '--redact']),
    await harness(['replay', 'sessions', ...compared, '--model', 'claude-sonnet-5-5', '--json']),
  ];
  expect([page.code, redacted.code, replay.code]).toEqual([0, 0, 0]);
  ({ rows } = JSON.parse(replay.stdout) as { readonly rows: readonly ReplayRow[] });
  if (chromiumPath !== undefined) browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true });
});

async function dataOf(
  name: string,
): Promise<{ readonly data: PageData; readonly timelines: readonly SessionTimeline[] }> {
  const html = await readFile(file(name), 'utf8');
  const scripts = [...html.matchAll(/<script type="application\/json" id="([\w-]+)">(.*?)<\/script>/gs)];
  const parsed = new Map(scripts.map(([, id = '', json = '']) => [id, JSON.parse(json) as unknown]));
  const data = parsed.get('page-data') as PageData;
  return { data, timelines: data.timelines.map(({ session }) => parsed.get(`timeline-${session}`) as SessionTimeline) };
}

test('the page holds the figures of replay, all timelines, and is at most 20 MB', async () => {
  const { data, timelines } = await dataOf('page.html');
  expect(data.sessions).toHaveLength(4);
  expect(timelines).toHaveLength(4);
  expect(timelines.every(({ texts }) => new Set(texts).size === texts.length)).toBe(true);
  expect((await stat(file('page.html'))).size).toBeLessThan(20_000_000);
  expect(data.sessions.map(({ replays }) => replays.map(({ condenser }) => condenser))[0]).toEqual(
    rows.map(({ condenser }) => condenser),
  );
});

test('a redacted page holds no text of a session, no name and no path', async () => {
  const bytes = await readFile(file('redacted.html'), 'utf8');
  for (const secret of [...secrets, 'window.hacked', 'You are careful', 'src/1.ts', 'You change programs', folder])
    expect(bytes).not.toContain(secret);
  expect(bytes).toContain('read_file');
  const { data, timelines } = await dataOf('redacted.html');
  expect(data.sessions.map(({ name }) => name)).toEqual(['session 1', 'session 2', 'session 3', 'session 4']);
  expect(timelines.every(({ items }) => items.some(({ tokens }) => tokens > 100))).toBe(true);
});

test('without a path the newest sessions of known agents are taken, and the rest is counted', async () => {
  const home = file('home');
  const project = join(home, '.claude/projects/-work');
  await mkdir(project, { recursive: true });
  const line = (type: string, uuid: string, parentUuid: string | null, message: unknown): string =>
    JSON.stringify({ type, uuid, parentUuid, sessionId: 's', timestamp: '2026-01-01T00:00:00Z', message });
  const usage = { input_tokens: 9, output_tokens: 3 };
  const text = [
    line('user', 'u1', null, { role: 'user', content: 'hi' }),
    line('assistant', 'a1', 'u1', {
      id: 'm1',
      role: 'assistant',
      model: 'claude-haiku-5-5',
      content: [{ type: 'text', text: 'hello' }],
      usage,
    }),
  ].join('\n');
  for (let index = 0; index < 53; index++) await writeFile(join(project, `${index}.jsonl`), `${text}\n`);
  const { code, stdout, stderr } = await harness(['report', '-c', 'noOp'], home);
  expect(code).toBe(0);
  expect(stderr).toContain('53 recorded sessions on this machine: Claude Code 53\n');
  expect(stderr).toContain('The newest 50 are replayed.');
  expect(stdout).toContain('50 sessions cost');
  expect(stdout).toContain('3 older sessions were left out');
  const { data } = await dataOf('palimpsest-report.html');
  expect(data).toMatchObject({ older: 3, priced: { model: 'claude-haiku-5-5', because: 'recorded' } });
  expect(data.timelines).toHaveLength(20);
});

test('each session is priced as its own model’s, and one that names none as the model of most calls', async () => {
  const log = (model: string | undefined): string =>
    Array.from({ length: 3 }, (_, step) =>
      [
        JSON.stringify({
          type: 'user',
          uuid: `u${step}`,
          parentUuid: step === 0 ? null : `a${step - 1}`,
          sessionId: 's',
          timestamp: `2026-01-01T00:0${step}:00Z`,
          message: { role: 'user', content: `Say it again. ${'word '.repeat(4_000)}` },
        }),
        JSON.stringify({
          type: 'assistant',
          uuid: `a${step}`,
          parentUuid: `u${step}`,
          sessionId: 's',
          timestamp: `2026-01-01T00:0${step}:30Z`,
          message: {
            id: `m${step}`,
            role: 'assistant',
            model,
            content: [{ type: 'text', text: 'Again.' }],
            usage: { input_tokens: 9, output_tokens: 3 },
          },
        }),
      ].join('\n'),
    ).join('\n');
  await mkdir(file('models'), { recursive: true });
  const models = {
    one: 'claude-haiku-5-5',
    two: 'claude-haiku-5-5',
    three: 'claude-sonnet-5-5',
    other: 'a-model-of-ours',
  };
  for (const [name, model] of Object.entries(models)) await writeFile(file(`models/${name}.jsonl`), `${log(model)}\n`);
  const { stdout } = await harness(['report', 'models', '-c', 'noOp', '-o', 'models.html']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'each at the prices of its own model: 2 sessions at the prices of claude-haiku-5-5; 1 session at the prices of ' +
      'claude-sonnet-5-5; 1 session whose log names no model with known prices at those of claude-haiku-5-5.',
  );
  const { data } = await dataOf('models.html');
  const bill = (name: string) =>
    data.sessions.find((each) => each.name.includes(name))?.replays[0]?.bills[0]?.input ?? 0;
  expect(bill('two')).toBe(bill('one'));
  expect(bill('other')).toBe(bill('one'));
  expect(bill('three')).toBeGreaterThan(bill('one'));
  const named = await harness(['report', 'models', '-c', 'noOp', '-o', 'named.html', '--model', 'claude-sonnet-5-5']);
  expect(named.stdout.replaceAll(/\s+/g, ' ')).toContain('at the prices of claude-sonnet-5-5, the model you named.');
  const all = (await dataOf('named.html')).data.sessions.map(({ replays }) => replays[0]?.bills[0]?.input);
  expect(new Set(all).size).toBe(1);
});

test('of more sessions than a page has room for, the dearest are shown, whenever they were replayed', async () => {
  const of = (cost: number) => ({ notes: [], replays: [{ bills: [{ input: cost }] }] }) as unknown as ReplayedSession;
  const sessions = Array.from({ length: 25 }, (_, index) => of(index % 2 === 0 ? index : 100 - index));
  const { data } = await dataOf('page.html');
  const pages = pageWriter(data, file('dearest.html'));
  const timeline = JSON.stringify({ texts: [], items: [], logged: 0, calls: [], policies: [] });
  for (const [index, session] of sessions.entries()) {
    await pages.onTimeline(session, index, () => Promise.resolve(timeline));
  }
  expect(await pages.finish(sessions, 0)).toMatchObject({ timelines: 20, trimmed: 0 });
  const shown = (await dataOf('dearest.html')).data.timelines.map(({ session }) => session);
  const dearest = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 24, 22, 20, 18, 16, 14, 12, 10];
  expect(shown).toEqual(dearest);
});

test('a home without sessions has where agents keep their logs, and the sample', async () => {
  const { code, stdout, stderr } = await harness(['report', '-o', 'sample.html'], file('empty-home'));
  expect(code).toBe(0);
  expect(stderr).toMatch(/^ {2}Claude Code {2}.*\.claude.projects$/m);
  expect(stdout).toMatch(/^2 sessions cost \$/);
  // The policy to begin with is marked, and here it saves most.
  expect(stdout).toMatch(/forgotten\npriced \(recommended\) +\d+\.\d % +\d+\.\d % +\d+\.\d %$/m);
  const { data, timelines } = await dataOf('sample.html');
  expect(data.sessions.map(({ name }) => name)).toEqual(['demo.jsonl', 'long-session.jsonl']);
  expect(timelines).toHaveLength(2);
});

test('short sessions are told of, on the page too, and are in its figures only with --all', async () => {
  const mixed = ['report', 'sessions/session-2.jsonl', 'short', '-c', 'observationMasking'];
  const { stdout } = await harness([...mixed, '-o', 'mixed.html']);
  expect(stdout).toContain('2 short sessions, in which no policy had anything to condense, are not counted.');
  expect((await dataOf('mixed.html')).data).toMatchObject({ uncondensed: 2, sessions: [{ name: 'session-2.jsonl' }] });
  const all = await harness([...mixed, '--all', '-o', 'mixed']);
  expect(all.stdout).not.toContain('not counted');
  expect((await dataOf('mixed/index.html')).data.sessions).toHaveLength(3);
  const none = await harness(['report', 'short', '-c', 'observationMasking', '-o', 'short.html']);
  expect(none.stdout.replaceAll('\n', ' ')).toContain('In these short sessions no policy had anything to condense');
  expect((await dataOf('short.html')).data).toMatchObject({ uncondensed: 0, sessions: { length: 2 } });
});

test('an unknown model or path is status 2', async () => {
  expect((await harness(['report', 'sessions', '--model', 'nosuch'])).code).toBe(2);
  const unwritable = await harness(['report', 'sessions', '-c', 'noOp', '-o', 'sessions']);
  expect(unwritable.code).toBe(2);
  expect(unwritable.stderr).toContain('--output');
  const missing = await harness(['report', 'missing']);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('missing');
  expect(missing.stderr).not.toContain('    at ');
});

test('sessions that cannot be read are named when there is no other', async () => {
  const garbage = file('garbage/.claude/projects/a.jsonl');
  await mkdir(dirname(garbage), { recursive: true });
  await writeFile(garbage, 'no log\n');
  const { code, stderr } = await harness(['report'], file('garbage'));
  expect(code).toBe(1);
  expect(stderr).toContain(`${garbage}: `);
});

test('--all writes a folder with a page for each session', async () => {
  const { code, stdout } = await harness(['report', 'sessions', '-c', 'observationMasking', '--all', '-o', 'all']);
  expect(code).toBe(0);
  expect(stdout).toContain('index.html');
  expect((await readdir(file('all/sessions'))).sort()).toEqual(['1.html', '2.html', '3.html', '4.html']);
  const index = await dataOf('all/index.html');
  expect(index.data.timelines.map(({ href }) => href).sort()).toEqual(
    ['1', '2', '3', '4'].map((name) => `sessions/${name}.html`),
  );
  const { data, timelines } = await dataOf('all/sessions/1.html');
  expect(data.sessions).toHaveLength(1);
  expect(timelines).toHaveLength(1);
});

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  let page: Page;
  beforeAll(async () => {
    if (browser === undefined) throw new Error('no browser was started');
    page = await browser.newPage();
  });
  const open = (name: string, hash = '', look: Look = {}) => openFile(page, `${url(name)}${hash}`, look);

  test('the figures are those of the JSON of replay; nothing is requested and nothing is complained of', async () => {
    const { problems } = await open('page.html');
    const cells = await page.$$eval('#policies tbody tr', (lines) =>
      lines.map((line) => [...line.querySelectorAll('td')].map((cell) => cell.querySelector('data')?.value)),
    );
    const expected = rows.map((row) => {
      const [savings] = row.savings;
      const values = [
        savings?.inLoop.evidence?.pooled,
        savings?.inLoop.evidence?.worst,
        savings && billWithRereads(savings),
        savings?.pooled,
        savings?.worst,
        savings?.captured,
        savings?.regret.mean,
        savings?.dearer,
        row.recall,
        row.recallByKind.identifier,
        row.recallByKind.anchor,
        row.recallByKind.number,
        row.recallInStubs,
        row.normalisedGain,
        row.faultsPerHundredCalls,
        row.share,
        row.peakTokens,
        row.condensations,
        row.prefixRewrites,
        row.overflows,
        row.refusedLists,
      ];
      return values.map((value) => (value === undefined ? undefined : String(value)));
    });
    expect(cells.map((line) => line.map((value) => value ?? undefined))).toEqual(expected);
    await page.getByRole('combobox', { name: 'Policy' }).first().selectOption('1');
    const masking = rows[1];
    const shown = await page.$$eval('#headline data', (figures) =>
      figures.map((each) => Number((each as HTMLDataElement).value)),
    );
    const { billOfNone = 0, inLoop } = masking?.savings[0] ?? {};
    const paid = billOfNone * (1 - (inLoop?.evidence?.pooled ?? 0));
    expect(shown).toEqual([billOfNone, paid, 1 - (masking?.recall ?? 0)]);
    expect(await page.textContent('#headline')).toContain('observationMasking');
    expect(problems).toEqual([]);
  });

  test('filters leave the sessions they name, and prices change the bill', async () => {
    const { problems } = await open('page.html');
    const choose = (label: string, value: string) =>
      page.getByRole('combobox', { name: label }).first().selectOption(value);
    await choose('Prices', '1');
    const bill = await page.$eval(
      '#policies tbody tr:nth-child(2) td:nth-of-type(3) data',
      ({ value }: HTMLDataElement) => Number(value),
    );
    const savings = rows[1]?.savings[1];
    expect(bill).toBe(savings && billWithRereads(savings));
    await choose('Policy', '1');
    expect(await page.textContent('#headline')).toContain('observationMasking');
    await choose('Length', 'long');
    expect(await page.textContent('.headline')).toContain('No session is left');
    await page.getByRole('button', { name: 'Reset' }).click();
    expect(await page.textContent('#headline')).toContain('4 sessions');
    expect(problems).toEqual([]);
  });

  test('a session in which nothing was condensed is marked in the list, and has no table of zeros', async () => {
    const short = ['short', '-c', 'observationMasking'];
    await harness(['report', ...short, '-o', 'short.html']);
    await harness(['report', 'sessions/session-2.jsonl', ...short, '--all', '-o', 'mixed']);
    await open('short.html');
    expect(await page.textContent('#headline')).toContain('No policy that was tried had anything to condense in them');
    expect(await page.locator('#policies').count()).toBe(0);
    await open('mixed/index.html');
    const marks = await page.$$eval('#sessions ~ .wide tbody tr', (rows) =>
      rows.map(({ textContent }) => textContent.includes('nothing to condense')),
    );
    expect(marks.filter(Boolean)).toHaveLength(2);
    expect(await page.locator('#policies').count()).toBe(1);
  });

  test('hostile text is shown and does nothing', async () => {
    const { data } = await dataOf('page.html');
    const index = data.sessions.findIndex(({ name }) => name.includes(secrets[4] ?? ''));
    const { problems } = await open('page.html', `#session-${index}`);
    await page.keyboard.press('End');
    await page.$$eval('.items details', (rows) => rows.forEach((row) => ((row as HTMLDetailsElement).open = true)));
    await page.waitForFunction(() => document.querySelectorAll('.items pre').length > 30);
    const shown = await page.$$eval('.items pre', (texts) => texts.map(({ textContent }) => textContent).join('\n'));
    for (const text of hostile) expect(shown).toContain(text);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await page.$$eval('.items script, .items img', (found) => found.length)).toBe(0);
    expect(problems).toEqual([]);
  });

  test('a person steps through the calls with the keyboard', async () => {
    const { data, timelines } = await dataOf('page.html');
    const [timeline] = timelines;
    const index = data.timelines[0]?.session ?? 0;
    const { problems } = await open('page.html', `#session-${index}`);
    await page.locator('.session').getByLabel('Policy').selectOption('1');
    const policy = timeline?.policies[1];
    const acts = [...new Set(policy?.condensations.map(({ call }) => call) ?? [])];
    expect(acts.length).toBeGreaterThan(1);
    const position = () =>
      page.$$eval('.position data', (figures) => figures.map((each) => Number((each as HTMLDataElement).value)));
    await page.getByRole('region', { name: 'What the model reads at this call' }).focus();
    await page.keyboard.press('ArrowRight');
    const call = (acts[0] ?? 0) + 1;
    expect(await position()).toEqual([call + 1, policy?.tokens[call]]);
    await page.keyboard.press('Shift+ArrowRight');
    const second = acts[1] ?? 0;
    expect(await position()).toEqual([second + 1, policy?.tokens[second]]);
    expect(await page.textContent('.happened')).toContain('observationMasking');
    await page.getByLabel('Model call').focus();
    await page.keyboard.press('Home');
    expect(await position()).toEqual([1, policy?.tokens[0]]);
    expect(await page.$eval('.session input', (input) => getComputedStyle(input).outlineStyle)).not.toBe('none');
    expect(problems).toEqual([]);
  });

  test('nothing is wider than a screen of 400 pixels; dark, light and print have their colours', async () => {
    const { problems } = await open('page.html', '#session-0', {
      viewport: { width: 400, height: 800 },
      colorScheme: 'dark',
    });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
    const brightness = () =>
      page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.documentElement).backgroundColor)?.[0]));
    expect(await brightness()).toBeLessThan(60);
    await page.getByRole('button', { name: 'Light' }).click();
    expect(await brightness()).toBeGreaterThan(200);
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('light');
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 794, height: 1100 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(794);
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    expect(await brightness()).toBeLessThan(60);
    expect(problems).toEqual([]);
  });

  test('a redacted page and a page of --all work as well', async () => {
    for (const name of ['redacted.html', 'all/sessions/1.html', 'all/index.html']) {
      const { problems } = await open(name, name === 'redacted.html' ? '#session-0' : '');
      expect(await page.textContent('#headline')).toMatch(/cost \$/);
      if (name !== 'all/index.html') expect(await page.$$eval('.item', (found) => found.length)).toBeGreaterThan(0);
      expect(problems).toEqual([]);
    }
  });
});
