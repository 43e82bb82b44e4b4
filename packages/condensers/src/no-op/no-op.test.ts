import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { noOpCondenser } from './no-op.js';

test('it returns the very view, also on a request, which it does not say that it handles', () => {
  const log = logBuilder();
  log.user('Hello.');
  log.request();
  const view = View.fromEvents(log.events);
  const condenser = noOpCondenser();
  expect(condenser.condense(view, { report: () => {} })).toBe(view);
  expect(condenser.handlesCondensationRequests).toBeUndefined();
});
