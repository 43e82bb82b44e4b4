import { FakeListChatModel } from '@langchain/core/utils/testing';
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import type { BaseMessage } from '@langchain/core/messages';
import {
  extractiveSummaryCondenser,
  llmSummarizingCondenser,
  observationMaskingCondenser,
} from '@palimpsest/condensers';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, View, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { pruneMessages } from 'ai';
import type { ModelMessage } from 'ai';
import { ClearToolUsesEdit, contextEditingMiddleware, summarizationMiddleware } from 'langchain';
import { measure } from '../measure.js';
import type { Subject, Timing } from '../measure.js';

const summary = 'The agent read files and changed some of them. '.repeat(8);
const never = 1_000_000_000;
const resultOf = (index: number): string => `export const value${index} = ${index};\n`.repeat(30);
const inputOf = (index: number) => ({ path: `src/module-${index}.ts` });

/** The same history for Palimpsest, LangChain and the AI SDK: a system prompt, a user message, and calls. */
function histories(messages: number) {
  const log = logBuilder();
  const chain: BaseMessage[] = [new SystemMessage('You repair programs.'), new HumanMessage('Mend the parser.')];
  const sdk: ModelMessage[] = [
    { role: 'system', content: 'You repair programs.' },
    { role: 'user', content: 'Mend the parser.' },
  ];
  log.system('You repair programs.');
  log.user('Mend the parser.');
  for (let index = 0; chain.length < messages; index++) {
    const [id, name, args, text] = [`call-${index}`, 'read_file', inputOf(index), resultOf(index)];
    log.call(name, args, text);
    chain.push(new AIMessage({ content: '', tool_calls: [{ id, name, args }] }));
    chain.push(new ToolMessage({ content: text, tool_call_id: id, name }));
    sdk.push({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: name, input: args }] });
    const output = { type: 'text', value: text } as const;
    sdk.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: name, output }] });
  }
  return { events: log.events as readonly Event[], chain, sdk };
}

/** Palimpsest decides on an existing view, because a fold updates the view with each event. */
function ours(name: string, events: readonly Event[], create: () => Condenser, acts: boolean): Subject {
  const view = View.fromEvents(events);
  const condenser = create();
  return {
    name,
    run: async () => {
      const result = await condenser.condense(view, { report: () => {} });
      if (isCondensation(result) !== acts) throw new Error(`${name} decided otherwise`);
      return result;
    },
  };
}

/** The same decision, plus the fold of the whole log, its condensation, and the messages. */
function oursFromScratch(name: string, events: readonly Event[], create: () => Condenser): Subject {
  const condenser = create();
  return {
    name,
    run: async () => {
      const projection = new ViewProjection();
      for (const event of events) projection.append(event);
      const result = await condenser.condense(projection.view, { report: () => {} });
      if (isCondensation(result)) projection.append(result);
      return projection.view.toMessages();
    },
  };
}

type Middleware = {
  readonly beforeModel?: unknown;
  readonly wrapModelCall?: unknown;
};

function edits(name: string, chain: readonly BaseMessage[], tokens: number): Subject {
  const edit = new ClearToolUsesEdit({ trigger: { tokens }, keep: { messages: 12 } });
  const { wrapModelCall } = contextEditingMiddleware({ edits: [edit] }) as Middleware;
  const wrap = wrapModelCall as (request: unknown, handler: (request: unknown) => unknown) => Promise<unknown>;
  // The function changes its input list, so each run gets its own list.
  return { name, run: () => wrap({ messages: [...chain] }, (request) => request) };
}

function summarizes(name: string, chain: readonly BaseMessage[], messages: number): Subject {
  const model = new FakeListChatModel({ responses: [summary] });
  const options = {
    model,
    trigger: { messages },
    keep: { messages: Math.max(1, Math.floor(chain.length / 2)) },
    // By default the model reads only the last 4,000 tokens; with Palimpsest it reads all.
    trimTokensToSummarize: never,
  };
  const middleware = summarizationMiddleware(options as never) as Middleware;
  const before = middleware.beforeModel as (state: unknown, runtime: unknown) => Promise<unknown>;
  return { name, run: () => before({ messages: [...chain] }, { context: {} }) };
}

const goes = 'Old tool results go';

function print({ name, median, ratio }: Timing): void {
  const times = ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2);
  console.log(`  ${times.padStart(9)}×  ${median.toFixed(3).padStart(10)} ms  ${name}`);
}

for (const messages of [100, 1_000, 10_000]) {
  const { events, chain, sdk } = histories(messages);
  const llm = scriptedLLM({ script: () => summary, contextWindow: never });
  const rounds = messages > 1_000 ? 5 : 15;
  const groups: readonly (readonly [string, Subject, readonly Subject[]])[] = [
    [
      'A decision for "no"',
      ours('observationMasking', events, () => observationMaskingCondenser({ minSavedTokens: never }), false),
      [
        ours('llmSummarizing', events, () => llmSummarizingCondenser({ llm, maxSize: never }), false),
        edits('langchain contextEditingMiddleware', chain, never),
        summarizes('langchain summarizationMiddleware', chain, never),
      ],
    ],
    [
      goes,
      ours(
        'observationMasking',
        events,
        () => observationMaskingCondenser({ attentionWindow: 24, minSavedTokens: 1 }),
        true,
      ),
      [
        oursFromScratch('observationMasking, fold and messages too', events, () =>
          observationMaskingCondenser({ attentionWindow: 24, minSavedTokens: 1 }),
        ),
        ...(messages > 1_000 ? [] : [edits('langchain contextEditingMiddleware', chain, 1)]),
        {
          name: 'ai pruneMessages (drops calls and results, says nothing)',
          run: () => pruneMessages({ messages: sdk, toolCalls: 'before-last-24-messages' }),
        },
      ],
    ],
    [
      'Half becomes a summary, by a model that answers at once',
      ours('llmSummarizing', events, () => llmSummarizingCondenser({ llm, maxSize: messages - 2 }), true),
      [
        oursFromScratch('llmSummarizing, fold and messages too', events, () =>
          llmSummarizingCondenser({ llm, maxSize: messages - 2 }),
        ),
        ours('extractiveSummary (no model)', events, () => extractiveSummaryCondenser({ maxSize: messages - 2 }), true),
        summarizes('langchain summarizationMiddleware', chain, 1),
      ],
    ],
  ];
  for (const [title, floor, subjects] of groups) {
    console.log(`\n${title}, ${messages.toLocaleString('en-GB')} messages`);
    const timings = await measure(floor, subjects, rounds);
    for (const timing of timings) print(timing);
    if (messages <= 1_000 || title !== goes) continue;
    // The time grows with the square of the number of messages, so one run must suffice.
    const slow = edits('langchain contextEditingMiddleware (one run)', chain, 1);
    const start = performance.now();
    await slow.run();
    const median = performance.now() - start;
    print({ name: slow.name, median, ratio: median / (timings[0]?.median ?? NaN) });
  }
}
