/* oxlint-disable palimpsest/layers -- an agent's messages come from a view; tests only */
import fc from 'fast-check';
import { createEvent } from '@palimpsest/events';
import type { AssistantMessage, Event } from '@palimpsest/events';
import { condensation, NoCondensationAvailableError, View } from '@palimpsest/view';
import { anthropicServer } from '@palimpsest/provider-servers';
import { describe, expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import type { LLM } from '../llm.js';
import { anthropicLLM } from './llm.js';
import type { AnthropicLLMOptions } from './llm.js';

// Whole conversations with a server that signs thinking and checks it: whatever becomes of the history on the way, through
// condensations, redactions, new instructions and requests of other shapes, no request may be refused.

const tools = [{ name: 'run', description: 'Runs a command.', inputSchema: { type: 'object' } }];
const text = (words: string) => ({ type: 'text' as const, text: words });

type Step =
  | {
      readonly do: 'ask';
      readonly calls: number;
      readonly thinks: readonly boolean[];
      readonly answered: number;
      readonly says: boolean;
      readonly forces: boolean;
    }
  | { readonly do: 'say' }
  | { readonly do: 'instruct' }
  | { readonly do: 'sum-up' }
  | { readonly do: 'condense'; readonly from: number; readonly to: number }
  | { readonly do: 'redact'; readonly which: number };

const share = fc.double({ min: 0, max: 1, noNaN: true });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      calls: fc.integer({ min: 0, max: 3 }),
      thinks: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      answered: fc.oneof({ weight: 5, arbitrary: fc.constant(3) }, { weight: 1, arbitrary: fc.constant(1) }),
      says: fc.boolean(),
      forces: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    }),
  },
  fc.record({ do: fc.constant('say' as const) }),
  fc.record({ do: fc.constant('instruct' as const) }),
  fc.record({ do: fc.constant('sum-up' as const) }),
  fc.record({ do: fc.constant('condense' as const), from: share, to: share }),
  fc.record({ do: fc.constant('redact' as const), which: share }),
);

/** Returns the answer to a request: thinking where the request lets it. */
function contentFor(body: Record<string, unknown>, index: number, next: Step & { readonly do: 'ask' }) {
  const { type } = (body.thinking ?? {}) as { readonly type?: string };
  const isAlways = body.model === 'claude-fable-5-2' || body.model === 'claude-opus-5-5';
  const mayThink = type === undefined ? isAlways : type !== 'disabled';
  const thought = (at: number) =>
    // Between calls only where all of them get a result: what a view then leaves out, thinking behind it may be bound to.
    mayThink && next.thinks[at] === true && (at === 0 || next.answered >= next.calls)
      ? [{ type: 'thinking', thinking: `Thought ${index}.${at}.` }]
      : [];
  const calls = Array.from({ length: next.calls }, (_, at) => at).flatMap((at) => [
    ...thought(at + 1),
    { type: 'tool_use', id: `toolu_${index}_${at}`, name: 'run', input: { at } },
  ]);
  const words = next.says || next.calls === 0 ? [{ type: 'text', text: `Answer ${index}.` }] : [];
  return [...thought(0), ...words, ...calls];
}

/** The events of an answer, as an agent logs them. */
function eventsOf(
  { content, toolCalls = [], thinkingBlocks }: AssistantMessage,
  llmResponseId: string,
): readonly Event[] {
  const thinking = thinkingBlocks === undefined ? {} : { thinkingBlocks: [...thinkingBlocks] };
  if (toolCalls.length === 0) {
    const words = { source: 'agent', role: 'assistant', content: [...content], llmResponseId } as const;
    return [createEvent('message', { ...words, ...thinking })];
  }
  return toolCalls.map((toolCall, index) =>
    createEvent('action', {
      toolCall,
      llmResponseId,
      ...(index === 0 ? { thought: [...content], ...thinking } : { thought: [] }),
    }),
  );
}

/** Appends what a step makes of the log. */
async function takeStep(step: Step, log: Event[], llm: LLM): Promise<void> {
  const { thinking } = llm.facts ?? { thinking: 'none' as const };
  const view = View.fromEvents(log, { thinking });
  const at = (some: number) => Math.floor(some * view.events.length);
  switch (step.do) {
    case 'say':
      log.push(createEvent('message', { source: 'user', role: 'user', content: [text(`Remark ${log.length}.`)] }));
      return;
    case 'instruct':
      log.push(createEvent('system-prompt', { systemPrompt: `Instructions ${log.length}.`, tools }));
      return;
    case 'condense':
      try {
        const [start, end] = [at(step.from), at(step.to)].sort((one, other) => one - other) as [number, number];
        log.push(condensation({ view, start, end, summary: `Summary ${log.length}.` }));
      } catch (error) {
        if (!NoCondensationAvailableError.isInstance(error)) throw error;
      }
      return;
    case 'redact': {
      const results = [...view.events].filter(({ type }) => type === 'observation');
      const chosen = results[Math.floor(step.which * results.length)];
      if (chosen === undefined) return;
      log.push(
        createEvent('condensation', { forgottenEventIds: [], redactions: [{ eventId: chosen.id, text: 'Redacted.' }] }),
      );
      return;
    }
    case 'sum-up':
      // With the tools to which thinking is bound, and without leave to use them.
      await llm.complete({
        messages: [...view.toMessages({ thinking }), { role: 'user', content: [text('Sum up.')] }],
        tools,
        toolChoice: 'none',
      });
      return;
    case 'ask': {
      const completion = await llm.complete({
        messages: view.toMessages({ thinking }),
        tools,
        cache: { key: 'conversation' },
        ...(step.forces ? { toolChoice: 'required' as const } : {}),
      });
      const answer = eventsOf(completion.message, `response-${log.length}`);
      log.push(...answer);
      for (const action of answer.filter((event) => event.type === 'action').slice(0, step.answered)) {
        const { id: toolCallId, name: toolName } = action.toolCall;
        log.push(createEvent('observation', { toolCallId, toolName, actionId: action.id, content: [text('ok')] }));
      }
    }
  }
}

const models: readonly Omit<AnthropicLLMOptions, 'apiKey'>[] = [
  { model: 'claude-fable-5-2' },
  { model: 'claude-opus-5-5' },
  { model: 'claude-sonnet-5-5' },
  { model: 'claude-sonnet-4-6', thinking: { budgetTokens: 2_000 } },
  { model: 'claude-opus-4-5', thinking: 'on' },
  { model: 'claude-haiku-4-5' },
];

describe('a conversation that is condensed on the way', () => {
  for (const options of models) {
    test(`is never refused: ${JSON.stringify(options)}`, () =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
          let asked: Step & { readonly do: 'ask' } = {
            do: 'ask',
            calls: 0,
            thinks: [],
            answered: 0,
            says: true,
            forces: false,
          };
          const server = await anthropicServer({
            reply: (body, index) => ({ content: contentFor(body, index, asked) }),
          });
          try {
            const llm = anthropicLLM({ ...options, apiKey: 'key', baseURL: server.baseURL, retry: { attempts: 1 } });
            const log: Event[] = [
              createEvent('system-prompt', { systemPrompt: 'Be short.', tools }),
              createEvent('message', { source: 'user', role: 'user', content: [text('Go.')] }),
            ];
            for (const next of steps) {
              if (next.do === 'ask') asked = next;
              if (next.do === 'sum-up') asked = { ...asked, calls: 0 };
              await takeStep(next, log, llm);
            }
            expect(server.requests.length).toBe(
              steps.filter(({ do: what }) => what === 'ask' || what === 'sum-up').length,
            );
          } finally {
            await server.close();
          }
        }),
        { seed: 20_261_123, numRuns: fewer(10) },
      ));
  }
});
