import type { EventId } from '@palimpsest/events';
import type { LogWriter, WrittenCall } from './log-writer.js';

/** One possible next step of a dirty log. It does nothing if the log has no place for it. */
export type Step = (log: LogWriter) => void;

const isOpen = (log: LogWriter, call: WrittenCall): boolean =>
  call.result === undefined && call.serial === log.response.serial;

function openCalls(log: LogWriter): readonly WrittenCall[] {
  return log.calls.filter((call) => isOpen(log, call));
}

/** Writes a call of a new response, so that pending calls of the last response stay unanswered. */
const callOfNewResponse: Step = (log) => {
  for (let waiting = openCalls(log).length; waiting > 0; waiting--) log.count('unanswered call');
  log.startResponse();
  log.action({ thinking: 0.4 });
};

const callOfSameResponse: Step = (log) => {
  if (log.response.serial === 0) return callOfNewResponse(log);
  log.action({ thinking: 0.1, ...(log.random.chance(0.6) ? { thought: 0 } : {}) });
};

/** Writes another call with the id of the last response, as servers do that repeat ids. */
const turnWithSameId: Step = (log) => {
  if (log.response.serial === 0) return callOfNewResponse(log);
  const evidence = log.random.below(4);
  if (evidence === 0) log.words('user');
  if (evidence === 1) log.usage('agent');
  log.startResponse(log.response.id);
  log.answer(log.action({ thinking: evidence === 2 ? 1 : 0, thought: evidence === 2 ? 0.4 : 0 }));
};

const usage: Step = (log) => log.usage(log.random.chance(0.7) ? 'agent' : 'condenser');

const inPlaceResult: Step = (log) => {
  const call = log.random.pick(openCalls(log));
  if (call !== undefined) log.answer(call);
};

const allInPlaceResults: Step = (log) => {
  for (const call of openCalls(log)) log.answer(call);
};

const lateResult: Step = (log) => {
  const call = log.random.pick(log.calls.filter((one) => one.result === undefined && one.serial < log.response.serial));
  if (call === undefined) return;
  log.count('late result');
  log.answer(call);
};

const duplicateResult: Step = (log) => {
  const call = log.random.pick(log.calls.filter(({ result }) => result !== undefined));
  if (call === undefined) return;
  log.count('duplicate result');
  log.result(call.action.toolCall.id, call.action.toolCall.name);
};

const orphanResult: Step = (log) => {
  log.count('orphan result');
  log.result(`no-such-call-${log.length}`, 'read');
};

const resultBeforeCall: Step = (log) => {
  log.count('result before its call');
  const id = `early-${log.length}`;
  log.result(id, 'read');
  if (log.random.chance(0.5)) log.startResponse();
  log.action({ thinking: 0.2, toolCallId: id });
};

const repeatedOpenCallId: Step = (log) => {
  const call = log.random.pick(openCalls(log));
  if (call === undefined) return;
  log.count('repeated open call id');
  log.action({ thinking: 0, toolCallId: call.action.toolCall.id });
};

const reusedCallId: Step = (log) => {
  const call = log.random.pick(log.calls);
  if (call === undefined) return;
  log.count('reused call id');
  if (log.random.chance(0.7)) log.startResponse();
  log.action({ thinking: 0.3, toolCallId: call.action.toolCall.id });
};

const unsendableCallId: Step = (log) => {
  log.count('unsendable call id');
  log.startResponse();
  log.action({
    thinking: 0.2,
    toolCallId: `call ${log.length} ${log.random.pick(['ü'.repeat(70), '?', '\ud83d']) ?? ''}`,
  });
};

const words: Step = (log) => {
  if (openCalls(log).length > 0) log.count('words inside a batch');
  log.words(log.random.chance(0.7) ? 'user' : 'environment');
};

const assistantWords: Step = (log) => {
  log.startResponse();
  log.assistantWords({ thinking: 0.4 });
};

const assistantWordsOfSameResponse: Step = (log) => {
  if (log.response.serial === 0) return;
  log.count('assistant words of the same response');
  log.assistantWords({ thinking: 0 });
};

const returningResponse: Step = (log) => {
  const call = log.random.pick(log.calls);
  if (call === undefined || call.action.llmResponseId === log.response.id) return;
  log.count('returning response');
  log.startResponse(call.action.llmResponseId);
  log.action({ thinking: 0.3 });
};

const repeatedEventId: Step = (log) => {
  const event = log.random.pick(log.events);
  if (event === undefined) return;
  log.count('repeated event id');
  log.add(log.random.chance(0.5) ? event : log.create('message', { ...userWords(log), id: event.id }));
};

const secondSystemPrompt: Step = (log) => {
  log.count('second system prompt');
  log.add(log.create('system-prompt', { systemPrompt: log.text() }));
};

const repeatedSystemPrompt: Step = (log) => {
  const old = log.events.findLast((event) => event.type === 'system-prompt');
  if (old === undefined) return;
  log.count('repeated system prompt');
  log.add(log.create('system-prompt', { systemPrompt: old.systemPrompt }));
};

const plantedSummary: Step = (log) => {
  const known = log.random.pick(log.events.filter((event) => event.type === 'condensation'));
  const id: EventId | undefined = known === undefined ? undefined : `${known.id}-summary`;
  const planted = log.random.chance(0.5) ? id : undefined;
  log.count(planted === undefined ? 'planted summary' : 'planted summary id');
  const fields = { summary: log.text(), ...(known === undefined ? {} : { condensationId: known.id }) };
  log.add(log.create('condensation-summary', planted === undefined ? fields : { ...fields, id: planted }));
};

const blankWords: Step = (log) => {
  log.count('blank words');
  if (log.random.chance(0.5)) {
    log.add(log.create('message', { ...userWords(log), content: [{ type: 'text', text: ' \n' }] }));
    return;
  }
  log.startResponse();
  if (log.assistantWords({ thinking: 0.5, blank: true }).thinkingBlocks !== undefined)
    log.count('thinking without words');
};

/** A newer version continues the log. */
const newerVersion: Step = (log) => {
  log.isNewer = true;
};

function userWords(log: LogWriter) {
  return { source: 'user', role: 'user', content: log.content() } as const;
}

/** The steps of a dirty log besides those of a clean one, with their weights. */
export const dirtySteps: readonly (readonly [weight: number, step: Step])[] = [
  [14, callOfNewResponse],
  [8, callOfSameResponse],
  [4, turnWithSameId],
  [3, usage],
  [16, inPlaceResult],
  [8, allInPlaceResults],
  [4, lateResult],
  [2, duplicateResult],
  [1, orphanResult],
  [1, resultBeforeCall],
  [2, repeatedOpenCallId],
  [3, reusedCallId],
  [1, unsendableCallId],
  [8, words],
  [4, assistantWords],
  [2, assistantWordsOfSameResponse],
  [2, returningResponse],
  [1, repeatedEventId],
  [1, secondSystemPrompt],
  [1, repeatedSystemPrompt],
  [2, plantedSummary],
  [2, blankWords],
  [1, newerVersion],
];
