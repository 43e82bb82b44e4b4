import { inProcessRunner } from '@palimpsest/agent/runner';
import { runnerContract } from '@palimpsest/agent/testing';
import {
  amortizedForgettingCondenser,
  extractiveSummaryCondenser,
  observationMaskingCondenser,
  pricedCondenser,
  recentEventsCondenser,
} from '@palimpsest/condensers';
import { memoryEventStore } from '@palimpsest/events';
import { eventStoreContract } from '@palimpsest/events/testing';
import { memoryRateLimitStore } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { llmContract, rateLimitStoreContract } from '@palimpsest/llm-adapters/testing';
import { anthropicMessages, chatMessages, responsesItems } from '@palimpsest/messages';
import type { Codec } from '@palimpsest/messages';
import { codecContract } from '@palimpsest/messages/testing';
import { relevanceCondenser } from '@palimpsest/relevance-tool';
import { condenserContract, viewPropertyContract } from '@palimpsest/view/testing';
import { anthropicHistory, richAnthropicHistory } from '../../../packages/messages/test-support/anthropic-loop.js';
import { chatHistory, richChatHistory } from '../../../packages/messages/test-support/chat-loop.js';
import { responsesHistory, richResponsesHistory } from '../../../packages/messages/test-support/responses-loop.js';
import { behindServer } from './model-servers.js';
import { markedSession, reviewedCalls, session } from './sessions.js';

/** Declares a test, as `test` of a runner does. */
export type DeclareTest = (name: string, run: () => Promise<void>) => unknown;

/** A suite of the table. */
export interface Suite {
  /** The entry that it imports. */
  readonly entry: string;
  /** The thing that it tests. */
  readonly subject: string;
  readonly declare: (test: DeclareTest) => void;
}

/** Options of {@link suitesOf}. */
export interface SuiteOptions {
  /** The address of `controlServer`. */
  readonly control: string;
  /** Loads the package of a provider, where it has to be loaded in another way. */
  readonly importModule?: ((name: string) => Promise<unknown>) | undefined;
}

const condensers = {
  pricedCondenser: () => pricedCondenser(),
  observationMaskingCondenser: () => observationMaskingCondenser({ attentionWindow: 8, minSavedTokens: 300 }),
  extractiveSummaryCondenser: () => extractiveSummaryCondenser({ maxSize: 20 }),
  recentEventsCondenser: () => recentEventsCondenser({ maxSize: 20 }),
  amortizedForgettingCondenser: () => amortizedForgettingCondenser({ maxSize: 20 }),
};

function codecSuite<Message>(
  subject: string,
  create: () => Codec<Message>,
  conversations: readonly (() => readonly Message[])[],
): Suite {
  return {
    entry: 'messages',
    subject,
    declare: (test) => codecContract({ test, create, conversations: () => conversations.map((make) => make()) }),
  };
}

/** Returns the contract suites of the entries that need no system of their own. */
export function suitesOf({ control, importModule }: SuiteOptions): readonly Suite[] {
  const sdk = importModule === undefined ? {} : { importModule };
  return [
    {
      entry: 'events',
      subject: 'memoryEventStore',
      declare: (test) => eventStoreContract({ test, create: () => ({ store: memoryEventStore() }) }),
    },
    {
      entry: 'view',
      subject: 'View',
      declare: (test) =>
        viewPropertyContract({
          test,
          property: (event) => (event.type === 'message' ? event.sender : undefined),
          logs: [{ name: 'reviewed calls', events: reviewedCalls() }],
        }),
    },
    ...Object.entries(condensers).map(([subject, create]): Suite => ({
      entry: 'condensers',
      subject,
      declare: (test) => condenserContract({ test, create, actsOn: session(), seeds: [2, 3, 5] }),
    })),
    {
      entry: 'relevance-tool',
      subject: 'relevanceCondenser',
      declare: (test) =>
        condenserContract({ test, create: () => relevanceCondenser(), actsOn: markedSession(), seeds: [2, 3, 5] }),
    },
    codecSuite('chatMessages', () => chatMessages(), [() => chatHistory(14), richChatHistory]),
    codecSuite('anthropicMessages', () => anthropicMessages(), [() => anthropicHistory(14), richAnthropicHistory]),
    codecSuite('responsesItems', () => responsesItems(), [() => responsesHistory(14), richResponsesHistory]),
    {
      entry: 'llm-adapters',
      subject: 'memoryRateLimitStore',
      declare: (test) => rateLimitStoreContract({ test, create: () => ({ store: memoryRateLimitStore() }) }),
    },
    {
      entry: 'llm-adapters/openai',
      subject: 'openaiLLM',
      declare: (test) =>
        llmContract({
          test,
          create: (scenario) =>
            behindServer(control, 'openai', scenario, (behind) =>
              openaiLLM({ ...behind, ...sdk, model: 'gpt-6.2-sol', api: 'responses', server: 'openai' }),
            ),
        }),
    },
    {
      entry: 'llm-adapters/anthropic',
      subject: 'anthropicLLM',
      declare: (test) =>
        llmContract({
          test,
          create: (scenario) =>
            behindServer(control, 'anthropic', scenario, (behind) =>
              anthropicLLM({ ...behind, ...sdk, model: 'claude-opus-5-5' }),
            ),
          lacks: {
            'unreported-usage': 'Anthropic always counts',
            'broken-arguments': 'Anthropic hands out objects, unless it cuts them',
          },
        }),
    },
    {
      entry: 'agent/runner',
      subject: 'inProcessRunner',
      declare: (test) => runnerContract({ test, create: (options) => ({ runner: inProcessRunner(options) }) }),
    },
  ];
}

/** The result of a suite. */
export interface SuiteResult {
  readonly entry: string;
  readonly subject: string;
  readonly passed: number;
  /** Names of tests with the messages of their errors. */
  readonly failed: readonly string[];
}

/** Runs suites, one test after the other. */
export async function run(suites: readonly Suite[]): Promise<readonly SuiteResult[]> {
  const results: SuiteResult[] = [];
  for (const { entry, subject, declare } of suites) {
    const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
    declare((name, run) => void tests.push({ name, run }));
    const failed: string[] = [];
    for (const test of tests) {
      try {
        await inTime(test.run());
      } catch (error) {
        failed.push(`${test.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    results.push({ entry, subject, passed: tests.length - failed.length, failed });
  }
  return results;
}

/** The longest test waits for a second or two. Unit: milliseconds. */
const mostMs = 60_000;

async function inTime(running: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${mostMs / 1_000} s`)), mostMs);
  });
  try {
    await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}
