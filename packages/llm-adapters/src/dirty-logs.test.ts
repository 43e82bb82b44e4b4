/* oxlint-disable palimpsest/layers -- an agent's messages come from a view; tests only */
import type { Event, Message } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { addFeatureCounts, randomLog } from '@palimpsest/view/testing';
import {
  checkAnthropicRequest,
  checkChatCompletionsRequest,
  checkResponsesRequest,
} from '@palimpsest/provider-servers/rules';
import { expect, it } from 'vitest';
import { toMessagesRequest } from './anthropic/request.js';
import { toResponsesRequest } from './openai/responses/request.js';
import { serverProfile } from './openai/server-profile.js';
import { toChatCompletionsRequest } from './openai/chat/request.js';

// Logs with everything in them that no agent should write, halves of surrogate pairs in every text among them: what a view
// makes of them and an adapter sends is never refused, with tools and without.

/** `npm test` meets the first of these logs, CI's thorough run all: `.ci/run`. */
const isThorough = process.env['PALIMPSEST_THOROUGH'] === 'true';
const half = 'a \ud83d';
const tools = ['read', 'run', 'search', half].map((name) => ({
  name,
  description: half,
  inputSchema: { type: 'object', properties: { input: { type: 'string', description: half, enum: [half] } } },
}));
/** Returns a body as it goes over the wire. */
const wire = (body: unknown): unknown => JSON.parse(JSON.stringify(body));

it('no body made of a dirty log is refused by any provider', () => {
  const counts: Parameters<typeof addFeatureCounts>[0][number][] = [];
  for (let seed = 0; seed < (isThorough ? 60 : 10); seed++) {
    const log = randomLog({ seed, dirty: true, length: 50 });
    counts.push(log.counts);
    for (const end of [12, 31, log.events.length]) {
      check(log.name, log.events.slice(0, end));
    }
  }
  const sum = addFeatureCounts(counts);
  for (const feature of [
    'half a surrogate pair',
    'half a pair in signed thinking',
    'half a pair escaped in arguments',
  ] as const) {
    expect(sum[feature], feature).toBeGreaterThan(isThorough ? 10 : 1);
  }
});

function check(name: string, events: readonly Event[]): void {
  const labelObservation = (): string => `[label ${half}]`;
  for (const thinking of ['prefix-bound', 'latest-turn', 'none'] as const) {
    const messages = View.fromEvents(events, { thinking }).toMessages({ labelObservation });
    for (const declared of [tools, undefined]) checkBodies(name, messages, declared);
  }
}

function checkBodies(name: string, messages: readonly Message[], declared: typeof tools | undefined): void {
  const request = { messages, tools: declared, cache: { key: half, stableMessages: 3 } };
  const claude = toMessagesRequest(request, { model: 'claude-opus-5-5' });
  expect(checkAnthropicRequest(wire(claude)), `${name}, Anthropic`).toEqual([]);
  for (const model of ['gpt-4o', 'gpt-6-sol']) {
    const chat = toChatCompletionsRequest(request, { model });
    expect(checkChatCompletionsRequest(wire(chat)), `${name}, ${model}`).toEqual([]);
  }
  const responses = toResponsesRequest(request, { model: 'gpt-6-sol' });
  expect(checkResponsesRequest(wire(responses)), `${name}, Responses`).toEqual([]);
  for (const server of ['mistral', 'deepseek', 'strict-template'] as const) {
    const chat = toChatCompletionsRequest(request, { model: 'some-model', server: serverProfile(server) });
    expect(checkChatCompletionsRequest(wire(chat), server), `${name}, ${server}`).toEqual([]);
  }
}
