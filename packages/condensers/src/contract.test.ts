import { logBuilder } from '@palimpsest/events/testing';
import { condenserContract } from '@palimpsest/view/testing';
import { describe, test } from 'vitest';
import { contractSeeds } from '../test-support/contract-seeds.js';
import { hangingLLM, standInLLM } from '../test-support/stand-in-llm.js';
import { condenserByName, condenserNames, condenserNamesWithModel } from './config/own-condensers.js';
import { digestCondenser } from './digest/digest.js';
import { extractiveSummaryCondenser } from './digest/extractive-summary.js';
import { llmAttentionCondenser } from './llm-attention/llm-attention.js';
import { llmSummarizingCondenser } from './llm-summarizing/llm-summarizing.js';
import { noOpCondenser } from './no-op/no-op.js';
import { observationMaskingCondenser } from './observation-masking/observation-masking.js';
import { pipelineCondenser } from './pipeline/pipeline.js';
import { pricedCondenser } from './priced/priced.js';
import { recentEventsCondenser } from './recent-events/recent-events.js';
import { structuredSummaryCondenser } from './structured-summary/structured-summary.js';

/** Forty steps of a coding session: reads, edits, commands, a user who speaks up. */
function session() {
  const log = logBuilder();
  log.system();
  log.user('Make the parser accept comments.');
  for (let step = 1; step <= 40; step++) {
    if (step % 15 === 0) log.user(`Keep option ${step} as it is.`);
    log.call('read_file', { path: `src/part-${step}.ts` }, `${step}: export const part = ${step};\n`.repeat(60));
    if (step % 4 === 0) log.call('run_command', { command: `npm test -- part-${step}` }, 'FAIL part\n\nexit code 1');
  }
  return log.events;
}

const contract = (options: Parameters<typeof condenserContract>[0]): void =>
  condenserContract({ seeds: contractSeeds, ...options });

describe('noOp', () => {
  // It promises to do nothing.
  const withoutActing = ((name: string, run: () => Promise<void>) =>
    name.startsWith('acts on') ? test.skip(`${name}: it does nothing`, run) : test(name, run)) as typeof test;
  contract({ test: withoutActing, create: () => noOpCondenser(), actsOn: session() });
});

describe('recentEvents', () => {
  contract({ test, create: () => recentEventsCondenser({ maxSize: 20 }), actsOn: session() });
});

describe('observationMasking', () => {
  contract({
    test,
    create: () => observationMaskingCondenser({ attentionWindow: 8, minSavedTokens: 300 }),
    actsOn: session(),
  });
});

describe('observationMasking with arguments', () => {
  contract({
    test,
    create: () => observationMaskingCondenser({ attentionWindow: 0, minSavedTokens: 1, maskArguments: true }),
    actsOn: session(),
  });
});

describe('priced', () => {
  const stages = () => [
    observationMaskingCondenser({ attentionWindow: 8, minSavedTokens: 300 }),
    digestCondenser({ maxSize: 1_000, keepFirst: 1, targetTokens: 2_000, maxFactTokens: 300, maxLineTokens: 500 }),
  ];
  contract({ test, create: () => pricedCondenser({ stages: stages() }), actsOn: session() });
});

describe('digest beside a small target', () => {
  contract({
    test,
    create: () => digestCondenser({ maxSize: 20, targetTokens: 1_500, maxFactTokens: 400, maxLineTokens: 900 }),
    actsOn: session(),
  });
});

describe('extractiveSummary', () => {
  contract({ test, create: () => extractiveSummaryCondenser({ maxSize: 20 }), actsOn: session() });
});

describe('extractiveSummary by tokens', () => {
  contract({
    test,
    create: () => extractiveSummaryCondenser({ maxSize: 1_000, maxTokens: 2_000 }),
    actsOn: session(),
  });
});

describe('extractiveSummary with a small window', () => {
  contract({
    test,
    create: () => extractiveSummaryCondenser({ maxSize: 12, keepFirst: 0, maxSummaryTokens: 200 }),
    actsOn: session(),
    context: { contextWindow: 4_000, maxOutputTokens: 1_000 },
  });
});

describe('pipeline', () => {
  contract({
    test,
    create: () =>
      pipelineCondenser([
        observationMaskingCondenser({ attentionWindow: 8, minSavedTokens: 300 }),
        extractiveSummaryCondenser({ maxSize: 20 }),
      ]),
    actsOn: session(),
  });
});

describe('pipeline of recentEvents and extractiveSummary', () => {
  contract({
    test,
    create: () =>
      pipelineCondenser([recentEventsCondenser({ maxSize: 40 }), extractiveSummaryCondenser({ maxSize: 30 })]),
    actsOn: session(),
    // What the first stage hid comes up again when the second one has made room, so a long history takes several rounds.
    settlesWithin: 12,
  });
});

/** Requests that are done, pages, files and commands: enough that each condenser acts with its defaults. */
function longSession(options: { readonly isRequested: boolean }) {
  const log = logBuilder();
  log.system();
  for (let request = 1; request <= 12; request++) {
    log.user(`Task ${request}: make part ${request} faster.`);
    for (let step = 1; step <= 9; step++) {
      const name = `${request}-${step}`;
      if (step % 3 === 0) log.call('browser_open', { url: `http://host/${name}` }, `page ${name}\n`.repeat(400));
      else log.call('read_file', { path: `src/${name}.ts` }, `export const part = '${name}';\n`.repeat(60));
    }
    if (request < 12) log.agent(`Part ${request} is faster.`);
  }
  if (options.isRequested) log.add(log.create('condensation-request', {}));
  return log.events;
}

describe.each(condenserNames.filter((name) => name !== 'noOp'))('%s, by its name and with its defaults', (name) => {
  const needsModel = condenserNamesWithModel.includes(name);
  contract({
    test,
    // Its logs were met above, with limits at which it acts on them.
    seeds: contractSeeds.slice(-1),
    // It acts when it is asked to, and never by itself.
    actsOn: longSession({ isRequested: name === 'conversationWindow' }),
    create: () => condenserByName(name, { llm: standInLLM() }),
    ...(needsModel && { createHanging: () => condenserByName(name, { llm: hangingLLM() }) }),
  });
});

describe.each(['llmSummarizing', 'structuredSummary', 'llmAttention'] as const)(
  '%s in the background, for a view that cannot wait',
  (name) => {
    const create = {
      llmSummarizing: llmSummarizingCondenser,
      structuredSummary: structuredSummaryCondenser,
      llmAttention: llmAttentionCondenser,
    }[name];
    contract({
      test,
      actsOn: session(),
      context: { contextWindow: 1_000 },
      create: () => create({ llm: standInLLM(), maxSize: 20, background: true }),
      createHanging: () => create({ llm: hangingLLM(), maxSize: 20, background: true }),
    });
  },
);
