import type { Condensation } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { standInLLM } from '../test-support/stand-in-llm.js';
import { condenserByName, condenserNames } from './config/own-condensers.js';

test.each(condenserNames)('%s works without a context, as plain JavaScript may call it', async (name) => {
  const log = logBuilder();
  log.user('go');
  for (let step = 1; step <= 80; step++) log.call('read_file', { path: `${step}.ts` }, 'text\n'.repeat(200));
  const view = View.fromEvents(log.events);
  const condense = condenserByName(name, { llm: standInLLM() }).condense as (
    view: View,
  ) => Promise<View | Condensation> | View | Condensation;
  const withContext = await condenserByName(name, { llm: standInLLM() }).condense(view, { report: () => {} });
  expect('type' in (await condense(view))).toBe('type' in withContext);
});
