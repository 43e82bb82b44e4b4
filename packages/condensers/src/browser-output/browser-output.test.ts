import { toolResultContent } from '@palimpsest/events';
import type { Event, LLMConvertibleEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, NoCondensationAvailableError, View } from '@palimpsest/view';
import { condenserContract, messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { contractSeeds } from '../../test-support/contract-seeds.js';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { browserOutputCondenser } from './browser-output.js';
import type { BrowserOutputOptions } from './browser-output.js';

const report = () => {};
const page = (name: string) => `${name} on a long page\n`.repeat(100);

function condense(options: BrowserOutputOptions, events: readonly Event[]) {
  return browserOutputCondenser(options).condense(View.fromEvents(events), { report }) as View;
}

/** The view after one decision, in either way of masking. */
function after(options: BrowserOutputOptions, events: readonly Event[]): View {
  const result = condense(options, events);
  return isCondensation(result) ? View.fromEvents([...events, result]) : result;
}

function texts(view: View): readonly string[] {
  return [...view.events].flatMap((event) => (isResult(event) ? [textOf(event)] : []));
}

function withoutAddress(text = ''): string {
  return text.replace(/ \(address \w{8}\)/, '');
}

function isResult(event: LLMConvertibleEvent): event is Extract<LLMConvertibleEvent, { type: 'observation' }> {
  return event.type === 'observation';
}

function textOf(event: Extract<LLMConvertibleEvent, { type: 'observation' }>): string {
  return toolResultContent(event)
    .map((part) => (part.type === 'text' ? part.text : '[image]'))
    .join('\n');
}

function visits(count: number) {
  const log = logBuilder();
  log.user('Read the news.');
  for (let visit = 1; visit <= count; visit++) {
    log.call('browser_navigate', { url: `https://example.org/${visit}` }, page(`news ${visit}`));
    log.call('read_file', { path: `${visit}.md` }, page(`file ${visit}`));
  }
  return log;
}

const ways: readonly BrowserOutputOptions[] = [{ minSavedTokens: 1 }, { rewritesEveryStep: true }];

for (const way of ways) {
  const label = way.rewritesEveryStep === true ? 'at every step' : 'in batches';

  test.each([
    { window: 3, pages: 4, hidden: 1 },
    { window: 1, pages: 4, hidden: 3 },
    { window: 2, pages: 4, hidden: 2 },
    { window: 4, pages: 4, hidden: 0 },
    { window: 9, pages: 4, hidden: 0 },
    { window: 0, pages: 4, hidden: 4 },
  ])(`${label}, a window of $window on $pages pages hides the oldest $hidden`, ({ window, pages, hidden }) => {
    const { events } = visits(pages);
    const results = texts(after({ ...way, attentionWindow: window }, events));
    const pagesShown = results.filter((_, index) => index % 2 === 0);
    expect(pagesShown.map((text) => text.includes('Content omitted'))).toEqual(
      Array.from({ length: pages }, (_, index) => index < hidden),
    );
    // The window counts browser outputs alone, and other results stay.
    expect(results.filter((_, index) => index % 2 === 1)).toEqual(
      Array.from({ length: pages }, (_, index) => page(`file ${index + 1}`)),
    );
  });

  test(`${label}, known faults of the original: ids, calls and an open request stay, and the messages can be sent`, () => {
    const log = visits(5);
    log.request();
    const before = View.fromEvents(log.events);
    const result = condense(way, log.events);
    const view = isCondensation(result) ? View.fromEvents([...log.events, result]) : result;
    const shape = (event: LLMConvertibleEvent) => [event.id, event.type, 'toolCallId' in event ? event.toolCallId : ''];
    expect([...view.events].map(shape)).toEqual([...before.events].map(shape));
    expect(messageViolations(view.toMessages())).toEqual([]);
    expect(view.toMessages().length).toBe(before.toMessages().length);
    // A condensation answers the request; a view leaves it to others.
    expect(view.unhandledCondensationRequest).toBe(!isCondensation(result));
  });
}

test('the newest step is shown, also with a window of 0 and when it is larger than the window', () => {
  const log = visits(2);
  const call = (part: string) => ({ name: 'browser_open', input: { url: part }, result: page(part) });
  log.batch([call('a'), call('b'), call('c')]);
  for (const way of ways) {
    const results = texts(after({ ...way, attentionWindow: 1 }, log.events));
    expect(results.slice(-3)).toEqual([page('a'), page('b'), page('c')]);
    expect(results.filter((text) => text.includes('Content omitted'))).toHaveLength(2);
  }
});

test('a mask names the address: of the call, of the result, or of the page opened last', () => {
  const log = logBuilder();
  log.call('browser_navigate', { url: 'https://example.org/a' }, page('a'));
  log.call('browser_click', { ref: 'e12' }, `- Page URL: https://example.org/after-click\n${page('b')}`);
  log.call('browser_navigate', { target: { href: 'https://example.org/c' } }, page('c'));
  log.call('browser_scroll', { down: 3 }, page('see https://example.org/only-a-link'));
  log.call('browser_snapshot', {}, [{ type: 'image', url: 'https://example.org/shot.png' }], {});
  log.call('bash', { command: 'ls' }, 'ok');
  const [a, b, c, d, e] = texts(after({ minSavedTokens: 1, attentionWindow: 0 }, log.events));
  expect(a).toMatch(/^\[Old page of browser_navigate \(address \w{8}\): /);
  expect(withoutAddress(a)).toBe(
    '[Old page of browser_navigate: visited https://example.org/a; 101 lines, 1700 characters. Content omitted. Open it again if you need it.]',
  );
  expect(b).toContain('visited https://example.org/after-click;');
  expect(c).toContain('visited https://example.org/c;');
  expect(d).toContain('visited https://example.org/c;');
  expect(withoutAddress(e)).toBe(
    '[Old page of browser_snapshot: visited https://example.org/c; 1 image. Content omitted. Open it again if you need it.]',
  );
});

test('a tool that takes commands names the address in them', () => {
  const log = logBuilder();
  log.call('browser', { command: 'goto [https://example.org/list?page=2]' }, page('a'));
  log.call('browser', { command: 'click [3809]' }, page('b'));
  log.call('browser', "await page.goto('https://example.org/script')", page('c'));
  log.call('last');
  const [a, b, c] = texts(after({ minSavedTokens: 1, attentionWindow: 0 }, log.events));
  expect(a).toContain('visited https://example.org/list?page=2;');
  expect(b).toContain('visited https://example.org/list?page=2;');
  expect(c).toContain('visited https://example.org/script;');
});

test('without any address it says so much as it knows', () => {
  const log = logBuilder();
  log.call('browser_snapshot', 'not json', page('a'));
  log.call('bash');
  const [text] = texts(after({ minSavedTokens: 1, attentionWindow: 0 }, log.events));
  expect(text).toMatch(/^\[Old page of browser_snapshot \(address \w{8}\): 101 lines, /);
});

test('a very long address is cut', () => {
  const log = logBuilder();
  log.call('browser_navigate', { url: `https://example.org/${'x'.repeat(5_000)}` }, page('a').repeat(4));
  log.call('bash');
  const [text] = texts(after({ minSavedTokens: 1, attentionWindow: 0 }, log.events));
  expect(text?.length).toBeLessThan(400);
});

test.each([
  { name: 'browser_navigate', isPage: true },
  { name: 'mcp__playwright__click', isPage: true },
  { name: 'BrowserTakeScreenshot', isPage: true },
  { name: 'puppeteer-evaluate', isPage: true },
  { name: 'fetchWebpage', isPage: true },
  { name: 'list_files', isPage: false },
  { name: 'browserslist', isPage: false },
])('$name is a browser tool: $isPage', ({ name, isPage }) => {
  const log = logBuilder();
  log.call(name, {}, page('a'));
  log.call('last');
  expect(isCondensation(condense({ minSavedTokens: 1, attentionWindow: 0 }, log.events))).toBe(isPage);
});

test('names of tools can be given instead', () => {
  const log = visits(3);
  log.call('look', { url: 'https://example.org/l' }, page('look'));
  log.call('last');
  const results = texts(after({ minSavedTokens: 1, attentionWindow: 0, toolNames: ['look'] }, log.events));
  expect(results.filter((text) => text.includes('Content omitted'))).toHaveLength(1);
});

test('small pages, failures and refusals stay', () => {
  const log = logBuilder();
  log.call('browser_navigate', { url: 'https://example.org' }, 'blank');
  log.error(log.action('browser_click'), page('no such element'));
  log.reject(log.action('browser_type'), page('not there'));
  log.call('last');
  expect(isCondensation(condense({ minSavedTokens: 1, attentionWindow: 0 }, log.events))).toBe(false);
});

test('by default it waits until a batch is worth it, and one condensation then holds it all', () => {
  const log = logBuilder();
  let decisions = 0;
  for (let visit = 0; visit < 60; visit++) {
    log.call('browser_navigate', { url: `https://example.org/${visit}` }, page('x').repeat(3));
    const result = condense({}, log.events);
    if (!isCondensation(result)) continue;
    decisions++;
    log.add(result);
    expect(result.metadata).toMatchObject({ condenser: 'browserOutput', reason: 'batch' });
    expect(result.redactions?.length).toBeGreaterThanOrEqual(5);
  }
  expect(decisions).toBeGreaterThanOrEqual(3);
  expect(decisions).toBeLessThanOrEqual(12);
});

test('on a request with no page to mask it says that it cannot', () => {
  const log = logBuilder();
  for (let step = 0; step < 10; step++) log.call('read_file', { path: 'a' }, page('a'));
  log.request();
  expect(() => condense({}, log.events)).toThrow(NoCondensationAvailableError);
});

test.each([
  { attentionWindow: -1 },
  { attentionWindow: 0.5 },
  { minSavedTokens: 0 },
  { toolNames: [' '] },
  { minSavedTokens: 9, rewritesEveryStep: true },
])('%j is refused', (options) => {
  expect(() => browserOutputCondenser(options)).toThrow(InvalidCondenserConfigError);
});

for (const way of ways) {
  // Names of the generated logs, so that it has something to do on them too.
  const toolNames = ['browser_navigate', 'read', 'run'];
  describe(`contract, ${JSON.stringify(way)}`, () => {
    condenserContract({
      test,
      seeds: contractSeeds,
      create: () => browserOutputCondenser({ ...way, toolNames }),
      actsOn: visits(12).events,
    });
  });
}
