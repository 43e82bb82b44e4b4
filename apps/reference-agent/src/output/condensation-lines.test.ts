import { addressOf, createEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { relevanceDirectives } from '@palimpsest/relevance-tool';
import { condensation, View } from '@palimpsest/view';
import { CondensationHistory } from '@palimpsest/view/inspect';
import { expect, test } from 'vitest';
import type { Page } from './lines.js';
import { condensationPage, directivePage, priceOf } from './condensation-lines.js';
import { viewPage } from './view-lines.js';

const textOf = ({ title, lines }: Page): string => [title, ...lines.map(({ text }) => text)].join('\n');
const prices = { input: 10, cacheRead: 1, cacheWrite: 12, output: 50 };

function condensed(metadata: Readonly<Record<string, unknown>> = {}) {
  const log = logBuilder();
  log.user('Read them.');
  const one = log.call('read_file', { path: 'a.ts' }, 'text of a\u001b[2J\r\n'.repeat(200));
  const two = log.call('read_file', { path: 'b.ts' }, 'text of b '.repeat(200));
  log.call('read_file', { path: 'c.ts' }, 'text of c');
  log.agent('Now what?');
  const event = condensation({
    view: View.fromEvents(log.events),
    start: 1,
    end: 3,
    summary: 'a was read.\nIt is long.',
    redactions: [{ eventId: two.result.id, text: 'b: 200 times the same' }],
    metadata: { condenser: 'priced', reason: 'rent', ...metadata },
  });
  log.add(event);
  const history = new CondensationHistory(log.events);
  const details = history.details(event.id);
  if (details === undefined) throw new Error('no details');
  return { log, one, two, details, view: history.view, event };
}

test('a condensation is told with its reason, its figures, what it hid and what stands there now', () => {
  const { one, two, details, view } = condensed({ model: 'small', usage: {}, costUsd: 0.002 });
  const page = textOf(condensationPage(details, { view, prices }));
  expect(page).toContain('priced: to read on would cost more than to write the rest anew');
  expect(page).toContain('Nobody asked for it: the condenser decided.');
  expect(page).toContain('Written by small.');
  expect(page).toContain(`${addressOf(one.result.id)}  result of read_file a.ts`);
  expect(page).toMatch(new RegExp(`${addressOf(two.result.id)} .* → [\\d,]+ tokens, result`));
  expect(page).toContain('b: 200 times the same');
  expect(page).toContain('It is long.');
  const { rewritingUsd, modelUsd, savedUsdPerRequest } = priceOf(details, prices);
  expect(rewritingUsd).toBeCloseTo((details.rewrittenTokens * 11) / 1e6, 12);
  expect(savedUsdPerRequest).toBeCloseTo(details.savedTokens / 1e6, 12);
  expect(modelUsd).toBe(0.002);
  const requests = Math.ceil((rewritingUsd + 0.002) / savedUsdPerRequest);
  expect(page).toContain(`It has paid after ${requests} requests.`);
  expect(textOf(condensationPage(details, { view }))).toContain('The prices of the model are not known.');
});

test('what an untrusted text holds is on lines of its own, and one line each', () => {
  const { details, view, log } = condensed();
  const pages = [condensationPage(details, { view, prices }), viewPage(view, log.events)];
  for (const { lines } of pages) expect(lines.every(({ text }) => !/[\r\n]/.test(text))).toBe(true);
});

test('a note of the model is told with what it stands for, and whether the model reads it by now', () => {
  const log = logBuilder();
  log.user('Go.');
  const { action, result } = log.call('read_file', { path: 'a.ts' }, 'text '.repeat(200));
  log.add(
    createEvent('relevance/directive', {
      source: 'environment',
      requestedEventId: addressOf(result.id),
      targetEventId: result.id,
      toolCallId: action.toolCall.id,
      summary: 'read again later',
      text: '[redacted] read again later',
    }),
  );
  const waiting = View.fromEvents(log.events);
  const [directive] = relevanceDirectives(waiting);
  if (directive === undefined) throw new Error('no directive');
  const page = textOf(directivePage(directive, waiting));
  expect(page).toContain(`${addressOf(result.id)}  result of read_file a.ts`);
  expect(page).toContain('The note waits until it pays');
  expect(page).toContain('[redacted] read again later');
  const redactions = [{ eventId: result.id, text: directive.text }];
  log.add(createEvent('condensation', { forgottenEventIds: [], redactions }));
  expect(textOf(directivePage(directive, View.fromEvents(log.events)))).toContain('The model reads the note');
  log.add(createEvent('condensation', { forgottenEventIds: [action.id, result.id] }));
  expect(textOf(directivePage(directive, View.fromEvents(log.events)))).toContain('forgotten by now');
});

test('the view is shown with what is hidden where it stood, by what hid it', () => {
  const { log, view, one, event } = condensed();
  const lines = viewPage(view, log.events).lines.map(({ text }) => text);
  const at = (wanted: string) => lines.findIndex((line) => line.includes(wanted));
  expect(at('user · your message')).toBe(0);
  const hidden = at(`··· 2 events hidden: priced`);
  expect(lines[hidden]).toContain(addressOf(event.id));
  expect(hidden).toBeGreaterThan(0);
  expect(at(addressOf(one.result.id))).toBeGreaterThan(hidden);
  expect(at('result of read_file · ')).toBeGreaterThan(hidden);
  expect(lines.some((line) => line.endsWith('· masked'))).toBe(true);
});
