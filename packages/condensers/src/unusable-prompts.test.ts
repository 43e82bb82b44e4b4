import { createEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedLLM } from '@palimpsest/llm-adapters/testing';
import { NoCondensationAvailableError, View } from '@palimpsest/view';
import type { AttemptReport, Condenser } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import type { Prompt } from './authoring/model/prompt.js';
import {
  llmAttentionCondenser,
  llmSummarizingCondenser,
  slidingWindowCondenser,
  structuredSummaryCondenser,
} from './index.js';

const condensers: Readonly<Record<string, (llm: ScriptedLLM, prompt: string | Prompt) => Condenser>> = {
  llmSummarizing: (llm, prompt) => llmSummarizingCondenser({ llm, maxSize: 20, modelCall: { prompt } }),
  structuredSummary: (llm, prompt) => structuredSummaryCondenser({ llm, maxSize: 20, modelCall: { prompt } }),
  llmAttention: (llm, prompt) => llmAttentionCondenser({ llm, maxSize: 20, modelCall: { prompt } }),
  slidingWindow: (llm, prompt) =>
    slidingWindowCondenser({ llm, compactionInterval: 2, overlapSize: 0, modelCall: { prompt } }),
};

const prompts: readonly { readonly what: string; readonly prompt: string | Prompt; readonly reason: RegExp }[] = [
  {
    what: 'a template that renders blank',
    prompt: '{% if false %}{{ transcript }}{% endif %}',
    reason: /prompt is blank/,
  },
  { what: 'a function that returns nothing but white space', prompt: () => ' \n\t', reason: /prompt is blank/ },
  {
    what: 'a function that throws',
    prompt: () => {
      throw new Error('no such section');
    },
    reason: /prompt could not be written: no such section/,
  },
  {
    what: 'a template that fails while it is rendered',
    prompt: '{{ transcript | nothing }}',
    reason: /prompt could not be written/,
  },
  {
    what: 'a function that writes more than the window holds',
    prompt: ({ events }) => events.map(({ text }) => text + 'filler '.repeat(20_000)).join(''),
    reason: /the prompt has \d+ characters, and the window of \d+ tokens has room for/,
  },
];

/** Five requests with five calls each. */
function session() {
  const log = logBuilder();
  for (let request = 1; request <= 5; request++) {
    log.user(`request ${request}`);
    for (let step = 1; step <= 5; step++) log.call('read', { path: `${step}.ts` }, `part ${step} `.repeat(40));
    log.agent(`answer ${request}`);
  }
  log.user('the last request');
  return log;
}

describe.each(Object.keys(condensers))('%s', (name) => {
  test.each(prompts)(
    '$what asks no model, forgets nothing, and is a failure that holds back the next try',
    async ({ prompt, reason }) => {
      const llm = scriptedLLM({ script: () => 'An invented summary.' });
      const condenser = condensers[name]!(llm, prompt);
      const log = session();
      const reports: AttemptReport[] = [];
      const report = (attempt: AttemptReport): void => void reports.push(attempt);
      const view = View.fromEvents(log.events);

      expect(await condenser.condense(view, { report })).toBe(view);

      expect(llm.requests).toEqual([]);
      const failed = reports.filter(({ outcome }) => outcome !== 'retried');
      expect(failed).toMatchObject([
        { outcome: 'failed', reason: expect.stringMatching(reason) as unknown, data: { condenser: name } },
      ]);
      reports.length = 0;
      log.add(createEvent('condensation-attempt', { source: 'environment', condenser: name, ...failed[0]! }));
      const next = View.fromEvents(log.events);
      expect(await condenser.condense(next, { report })).toBe(next);
      expect(reports).toEqual([]);
    },
  );

  test('a request says that the prompt is blank', async () => {
    const llm = scriptedLLM({ script: () => 'An invented summary.' });
    const log = session();
    log.request();
    const condense = condensers[name]!(llm, () => '').condense(View.fromEvents(log.events), {});
    await expect(condense).rejects.toThrow(NoCondensationAvailableError);
    await expect(condense).rejects.toHaveProperty('cause.code', 'condenser-model');
    expect(llm.requests).toEqual([]);
  });
});
