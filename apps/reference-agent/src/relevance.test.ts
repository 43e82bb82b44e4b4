import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Conversation } from '@palimpsest/agent';
import { pipelineCondenser } from '@palimpsest/condensers';
import { createEvent, defineTool } from '@palimpsest/events';
import type { EventStore, Message } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script, ScriptedLLM } from '@palimpsest/llm-adapters/testing';
import {
  observationLabel,
  relevanceCondenser,
  relevanceDirectiveType,
  relevanceTool,
} from '@palimpsest/relevance-tool';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

const contents = (path: string) => `${path}: `.padEnd(60, '.') + '\nline'.repeat(400);

const read = defineTool({
  name: 'read',
  description: 'Read a file.',
  input: z.object({ path: z.string() }),
  execute: ({ path }) => contents(path),
});

function resultOf(messages: readonly Message[], callId: string): string {
  const message = messages.find((one) => one.role === 'tool' && one.toolCallId === callId);
  return message?.content.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
}

function labelOn(messages: readonly Message[], callId: string): string {
  const match = /\[event_id: (\w+)\]$/.exec(resultOf(messages, callId));
  if (match?.[1] === undefined) throw new Error(`no label on ${callId}`);
  return match[1];
}

/** Reads a, reads b, marks a while it reads c, reads d, and ends. */
const session: Script = ({ messages }, index) => {
  const reading = (path: string) => ({ name: 'read', arguments: { path }, id: `read-${path}` });
  if (index === 2) {
    const mark = { event_id: labelOn(messages, 'read-a'), summary_text: 'a holds nothing of use.' };
    return { toolCalls: [{ name: 'relevance_condenser', arguments: mark }, reading('c')] };
  }
  const path = ['a', 'b', '', 'd'][index];
  return path === undefined ? 'Done.' : { toolCalls: [reading(path)] };
};

interface Setup {
  readonly llm: ScriptedLLM;
  readonly conversation: Conversation;
}

async function conversationWith(
  options: { script?: Script; condenser?: Condenser; store?: EventStore; id?: string } = {},
): Promise<Setup> {
  const { script = session, condenser = relevanceCondenser(), store, id } = options;
  const llm = scriptedLLM({ script, idPrefix: id ?? 'scripted' });
  const agent = new Agent({
    llm,
    systemPrompt: 'Work.',
    tools: [read, relevanceTool()],
    condenser,
    render: { labelObservation: observationLabel },
  });
  const conversation = await Conversation.open({ agent, store, conversationId: 'relevance' });
  return { llm, conversation };
}

const redactedA = /^Response redacted: a holds nothing of use\.\n\[event_id: \w{8}\]$/;

test('tool, directive, and at the next step one model call with the redacted text, its pairing intact', async () => {
  const { llm, conversation } = await conversationWith();
  await conversation.send('Look through the files.');
  const outcome = await conversation.run();
  expect(outcome).toMatchObject({ status: 'finished', condensations: 0 });
  expect(llm.requests).toHaveLength(5);
  expect([...conversation.events].filter(({ type }) => type === relevanceDirectiveType)).toHaveLength(1);
  for (const { messages } of llm.requests) expect(messageViolations(messages)).toEqual([]);
  const before = llm.requests[2]?.messages ?? [];
  const after = llm.requests[3]?.messages ?? [];
  expect(resultOf(before, 'read-a')).toContain(contents('a'));
  expect(resultOf(after, 'read-a')).toMatch(redactedA);
  expect(resultOf(after, 'read-b')).toContain(contents('b'));
  expect(resultOf(after, 'read-c')).toContain(contents('c'));
  expect(labelOn(after, 'read-a')).toBe(labelOn(before, 'read-a'));
});

test('from then on requests only grow: the third step sends what the second sent, and more', async () => {
  const { llm, conversation } = await conversationWith();
  await conversation.send('Look through the files.');
  await conversation.run();
  const [third, fourth] = llm.requests.slice(3).map(({ messages }) => messages);
  expect(fourth?.slice(0, third?.length)).toEqual(third);
  // One report of what was applied, not one a step.
  const reports = [...conversation.events].filter(({ type }) => type === 'condensation-attempt');
  expect(reports).toHaveLength(1);
});

test('after a restart from disk the next request is what it would have been without', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-relevance-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const store = fileEventStore({ directory: folder });
  const first = await conversationWith({ store });
  await first.conversation.send('Look through the files.');
  await first.conversation.run();
  const again = await conversationWith({
    store: fileEventStore({ directory: folder }),
    script: ['Fine.'],
    id: 'again',
  });
  await again.conversation.send('Is that all?');
  await again.conversation.run();
  const continued = again.llm.requests[0]?.messages ?? [];
  const last = first.llm.requests.at(-1)?.messages ?? [];
  expect(resultOf(continued, 'read-a')).toMatch(redactedA);
  expect(continued.slice(0, last.length)).toEqual(last);
});

test('a Condensation is emitted once, and no model is called at that step', async () => {
  let asked = 0;
  const once: Condenser = {
    name: 'once',
    condense: (view) => (++asked === 4 ? condensation({ view, start: 2, end: 4, summary: 'S', createEvent }) : view),
  };
  const { llm, conversation } = await conversationWith({ condenser: pipelineCondenser([relevanceCondenser(), once]) });
  await conversation.send('Look through the files.');
  const outcome = await conversation.run();
  expect(outcome).toMatchObject({ status: 'finished', condensations: 1 });
  expect([...conversation.events].filter(({ type }) => type === 'condensation')).toHaveLength(1);
  expect(llm.requests).toHaveLength(5);
  for (const { messages } of llm.requests) expect(messageViolations(messages)).toEqual([]);
});

test('index shift: the label still names its result when history before it is condensed meanwhile', async () => {
  let asked = 0;
  // Between the request that shows the label of b, and the one that answers with it, the events of a are forgotten.
  const shifting: Condenser = {
    name: 'shifting',
    condense: (view) => (++asked === 4 ? condensation({ view, start: 2, end: 4, createEvent }) : view),
  };
  let labelOfB = '';
  const script: Script = ({ messages }, index) => {
    if (index === 2) labelOfB = labelOn(messages, 'read-b');
    const reading = (path: string) => ({ name: 'read', arguments: { path }, id: `read-${path}` });
    if (index < 3) return { toolCalls: [reading(['a', 'b', 'c'][index] ?? '')] };
    if (index > 3) return 'Done.';
    return {
      toolCalls: [{ name: 'relevance_condenser', arguments: { event_id: labelOfB, summary_text: 'b was read.' } }],
    };
  };
  const { llm, conversation } = await conversationWith({
    script,
    condenser: pipelineCondenser([relevanceCondenser(), shifting]),
  });
  await conversation.send('Look through the files.');
  await conversation.run();
  const last = llm.requests.at(-1)?.messages ?? [];
  expect(resultOf(last, 'read-a')).toBe('');
  expect(resultOf(last, 'read-b')).toMatch(/^Response redacted: b was read\./);
  expect(resultOf(last, 'read-c')).toContain(contents('c'));
});
