import { expect, test } from 'vitest';
import { HarnessError } from '../harness-error.js';
import type { PageData } from './page-data.js';
import { scriptJson } from './html.js';
import { pageHtml, reportPage } from './page.js';

const data: Omit<PageData, 'timelines' | 'trimmed'> = {
  harness: '0.0.0',
  createdAt: '2026-01-01T00:00:00.000Z',
  tokenUnit: 'o200k',
  redacted: false,
  prices: [],
  priced: { model: 'm', because: 'default' },
  older: 0,
  skipped: [],
  skippedFiles: 0,
  sessions: [],
  uncondensed: 0,
};
const assets = { script: 'void 0', style: 'p{}' };
const timeline = (text: string): string =>
  JSON.stringify({ texts: [text], items: [], logged: 0, calls: [], policies: [] });

function dataIn(html: string): PageData {
  const [, json = ''] = /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(json) as PageData;
}

test('JSON in a script neither ends it nor begins a comment, and reads back the same', () => {
  const value = [
    '</script>',
    '<!--',
    '-->',
    '\u2028\u2029',
    '\ud800',
    '&lt;',
    '\u001b[31m',
    '<img src=x onerror=alert(1)>',
  ];
  const json = scriptJson(JSON.stringify(value));
  expect(json).not.toMatch(/[<>&\u2028\u2029]/);
  expect(json).toContain('\\ud800');
  expect(JSON.parse(json)).toEqual(value);
});

test('assets that would end their tag are refused', () => {
  expect(() => pageHtml({ ...data, timelines: [], trimmed: 0 }, [], { script: '"</script>"', style: '' })).toThrow();
});

test('timelines that do not fit are left out and counted; the page keeps to its size', () => {
  const timelines = [100, 5_000, 200].map((size, session) => ({ session, timeline: timeline('ä'.repeat(size)) }));
  const whole = reportPage(data, timelines, assets);
  expect(whole.trimmed).toBe(0);
  expect(dataIn(whole.html).timelines).toEqual([{ session: 0 }, { session: 1 }, { session: 2 }]);
  const limit = 6_000;
  const { html, trimmed } = reportPage(data, timelines, assets, limit);
  expect(trimmed).toBe(1);
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(limit);
  expect(dataIn(html)).toMatchObject({ timelines: [{ session: 0 }, { session: 2 }], trimmed: 1 });
});

test('a page that is too large without timelines is an error that says how large', () => {
  const make = (): unknown =>
    reportPage({ ...data, skipped: [{ file: 'f', reason: 'x'.repeat(3_000) }] }, [], assets, 2_000);
  expect(make).toThrow(HarnessError);
  expect(make).toThrow(/MB/);
});
