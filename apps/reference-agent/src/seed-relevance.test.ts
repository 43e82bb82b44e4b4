import { Agent, ConversationStateProjection } from '@palimpsest/agent';
import { createEvent, EventLog, userMessage } from '@palimpsest/events';
import type { Condensation, Event, Message, ObservationEvent, ToolContext, ToolOutput } from '@palimpsest/events';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { relevanceCondenser, relevanceDirectives, relevanceTool } from '@palimpsest/relevance-tool';
import type { RelevanceAnswer } from '@palimpsest/relevance-tool';
import { View } from '@palimpsest/view';
import type { AttemptReport, Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';

// The tests of the seed "Relevance-Oriented Condensation Options", with its names and its assertions.

/** Records the messages that it is sent, and answers nothing. */
class RecordingLLM implements LLM {
  readonly model = 'test';
  called = 0;
  lastMessages: readonly Message[] = [];

  async complete({ messages }: CompletionRequest): Promise<Completion> {
    this.called++;
    this.lastMessages = messages;
    const usage = { uncachedInputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
    return { message: { role: 'assistant', content: [] }, usage, finishReason: 'stop', model: 'test' };
  }
}

const output = 'a line of output that nobody needs any more\n'.repeat(40);
const summary_text = 'Superseded by newer results.';

function callOf(id: string, llmResponseId = `response-${id}`, name = 'read') {
  return createEvent('action', { thought: [], toolCall: { id, name, arguments: '{}' }, llmResponseId });
}

function observationOf(action: ReturnType<typeof callOf>, text = output) {
  const { id: toolCallId, name: toolName } = action.toolCall;
  const content = [{ type: 'text' as const, text }];
  return createEvent('observation', { toolName, toolCallId, actionId: action.id, content });
}

/** User → action → observation, and a second pair, as the seed's set-up has it. */
async function seeded() {
  const [first, second] = [callOf('call-1'), callOf('call-2')];
  const log = new EventLog('seed');
  const observation = observationOf(first);
  await log.append([userMessage('Look through the files.'), first, observation, second, observationOf(second)]);
  return { log, action: first, observation };
}

/** Runs the tool as an agent does: the call and its result are in the log, and the directive between them. */
async function invoke(log: EventLog, input: { readonly event_id: string; readonly summary_text: string }) {
  const action = callOf(`relevance-${log.length}`, undefined, 'relevance_condenser');
  await log.append(action);
  const context: ToolContext = {
    actionId: action.id,
    toolCallId: action.toolCall.id,
    log,
    event: (id) => log.get(id),
    append: async (event) => void (await log.append(event)),
  };
  const answer = (await relevanceTool().execute(input, context)) as Exclude<ToolOutput, string>;
  await log.append(observationOf(action, JSON.stringify(answer.content)));
  return { ...answer, details: answer.details as unknown as RelevanceAnswer };
}

const directivesIn = (log: EventLog) => relevanceDirectives(View.fromEvents(log));

function textOf(view: View, id: string): string {
  const event = view.events.at(view.indexOf(id) ?? -1) as ObservationEvent;
  return event.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

class ImmediateCondense implements Condenser {
  readonly name = 'ImmediateCondense';
  condense(): Condensation {
    return createEvent('condensation', { forgottenEventIds: [], summary: 'trim', summaryOffset: 0 });
  }
}

describe('Agent.step', () => {
  test('agent_step_applies_relevance_redactions_before_llm', async () => {
    const llm = new RecordingLLM();
    const agent = new Agent({ llm, tools: [relevanceTool()], condenser: relevanceCondenser() });
    const { log, action, observation } = await seeded();
    await invoke(log, { event_id: observation.id, summary_text });
    const emitted: Event[] = [];
    const onEvent = (event: Event) => void emitted.push(event);
    await agent.step(ConversationStateProjection.fromEvents(log), { onEvent });
    expect(llm.called).toBe(1);
    expect(emitted.filter(({ type }) => type === 'condensation')).toEqual([]);
    const at = llm.lastMessages.findIndex((one) => one.role === 'tool' && one.toolCallId === action.toolCall.id);
    expect(llm.lastMessages[at]?.content).toMatchObject([
      { text: expect.stringMatching(/^Response redacted:/) as string },
    ]);
    expect(llm.lastMessages[at - 1]).toMatchObject({ role: 'assistant', toolCalls: [{ id: action.toolCall.id }] });
    expect(messageViolations(llm.lastMessages)).toEqual([]);
  });

  test('agent_step_emits_condensation_and_skips_llm', async () => {
    const llm = new RecordingLLM();
    const agent = new Agent({ llm, tools: [], condenser: new ImmediateCondense() });
    const state = new ConversationStateProjection();
    const emitted: Event[] = [];
    const outcome = await agent.step(state, { onEvent: (event) => void emitted.push(event) });
    expect(emitted.filter(({ type }) => type === 'condensation')).toHaveLength(1);
    expect(emitted).toHaveLength(1);
    expect(llm.called).toBe(0);
    expect(outcome.type).toBe('condensation');
  });

  test('a condenser that never settles: after three steps the model is called, and the log says why', async () => {
    const llm = new RecordingLLM();
    const agent = new Agent({ llm, tools: [], condenser: new ImmediateCondense() });
    const state = ConversationStateProjection.fromEvents([userMessage('Go.')]);
    const emitted: Event[] = [];
    const onEvent = (event: Event) => {
      emitted.push(event);
      state.append(event);
    };
    for (let step = 0; step < 4; step++) {
      expect(llm.called).toBe(0);
      await agent.step(state, { onEvent });
    }
    expect(llm.called).toBe(1);
    expect(emitted.slice(0, 4).map(({ type }) => type)).toEqual([
      'condensation',
      'condensation',
      'condensation',
      'condensation-attempt',
    ]);
    expect(emitted[3]).toMatchObject({ condenser: 'ImmediateCondense', outcome: 'unsettled' });
  });
});

describe('schema and tool validation', () => {
  test('malformed payloads are refused: a missing summary, one that is too long, an unknown id', async () => {
    const tool = relevanceTool();
    expect(() => tool.parseInput({ event_id: 'x' })).toThrow(/summary_text/);
    expect(() => tool.parseInput({ event_id: 'x', summary_text: 'y'.repeat(251) })).toThrow(/summary_text/);
    const { log } = await seeded();
    const { isError, details } = await invoke(log, { event_id: 'no-such-event', summary_text });
    expect([isError, details.rejectedEventIds, directivesIn(log)]).toEqual([true, ['no-such-event'], []]);
  });

  test('an accepted request is acknowledged, and a duplicate directive is refused', async () => {
    const { log, observation } = await seeded();
    const accepted = await invoke(log, { event_id: observation.id, summary_text });
    expect([accepted.isError ?? false, accepted.details.acceptedEventIds]).toEqual([false, [observation.id]]);
    const refused = await invoke(log, { event_id: observation.id, summary_text });
    expect([refused.isError, refused.details.rejectedEventIds]).toEqual([true, [observation.id]]);
    expect(directivesIn(log)).toMatchObject([{ requestedEventId: observation.id, summary: summary_text }]);
  });

  test('directives that target critical events are refused with a structured error', async () => {
    const { log } = await seeded();
    const [user] = log;
    const { isError, details } = await invoke(log, { event_id: user?.id ?? '', summary_text });
    expect(isError).toBe(true);
    expect(details.rejections).toMatchObject([{ id: user?.id, code: expect.any(String) as string }]);
  });
});

describe('condenser behaviour and view safety', () => {
  test('directives are replayed in order and stay idempotent; the original view is not mutated', async () => {
    const { log, observation } = await seeded();
    await invoke(log, { event_id: observation.id, summary_text });
    const view = View.fromEvents(log);
    const before = JSON.stringify(view.toMessages());
    const once = relevanceCondenser().condense(view, {});
    const twice = relevanceCondenser().condense(once, {});
    expect(textOf(once, observation.id)).toBe(`Response redacted: ${summary_text}`);
    expect(twice.toMessages()).toEqual(once.toMessages());
    expect([...once.events].map(({ id }) => id)).toEqual([...view.events].map(({ id }) => id));
    expect(JSON.stringify(view.toMessages())).toBe(before);
    expect(relevanceDirectives(once)).toEqual(relevanceDirectives(view));
  });

  test('a missing event is reported and the rest goes on', async () => {
    const { log, observation } = await seeded();
    await invoke(log, { event_id: observation.id, summary_text });
    const [directive] = directivesIn(log);
    // Another log, which lacks the target.
    const others = [...log].filter(({ id }) => id !== observation.id);
    const reports: AttemptReport[] = [];
    const view = View.fromEvents(others);
    const result = relevanceCondenser().condense(view, { report: (attempt) => void reports.push(attempt) });
    expect(result.toMessages()).toEqual(view.toMessages());
    expect(reports).toMatchObject([{ outcome: 'relevance-missing', data: { directiveIds: [directive?.id] } }]);
  });
});
