import type { Redaction } from '@palimpsest/events';
import { memoryEventStore } from '@palimpsest/events';
import { anthropicServer } from '@palimpsest/provider-servers';
import { condensation, NoCondensationAvailableError } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import Anthropic from '@anthropic-ai/sdk';
import { expect, it } from 'vitest';
import { resultOf } from '../test-support/anthropic-loop.js';
import type { AnthropicMessage } from '../test-support/anthropic-loop.js';
import { anthropicMessages, condensedHistory } from './index.js';
import { historyTools } from './tools/index.js';

/** Mulberry32: numbers from 0 to 1 that follow from a seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const tools: Anthropic.Tool[] = [{ name: 'read', input_schema: { type: 'object' } }];

/** `npm test` tries half of them. Of a host that does not keep what it has sent, thinking is refused in 26 and 58 where that is not noticed. */
const seeds = process.env['PALIMPSEST_THOROUGH'] === 'true' ? [1, 2, 3, 4, 8, 21, 26, 58] : [1, 8, 26, 58];

it.each(seeds)('a binding model refuses nothing, whatever host and condenser do (seed %i)', async (seed) => {
  const random = randomFrom(seed);
  const chance = (share: number) => random() < share;
  const below = (count: number) => Math.floor(random() * count);
  let calls = 0;
  const server = await anthropicServer({
    reply: (_, index) => ({
      content: [
        ...(chance(0.8) ? [{ type: 'thinking', thinking: `Thought ${index}.`, signature: '' }] : []),
        { type: 'text', text: `Step ${index}.` },
        ...Array.from({ length: chance(0.85) ? 1 + below(3) : 0 }, () => {
          return { type: 'tool_use', id: `toolu_${calls++}`, name: 'read', input: { path: `${below(5)}` } };
        }),
      ],
    }),
  });
  const client = new Anthropic({ baseURL: server.baseURL, apiKey: 'key', maxRetries: 0 });
  let rate = 0;
  const condenser: Condenser = {
    name: 'random',
    condense: (view) => {
      if (chance(0.05)) throw new Error('no model');
      if (!chance(rate)) return view;
      // Once a fit.
      rate = 0;
      try {
        return randomCondensation(view);
      } catch (error) {
        if (NoCondensationAvailableError.isInstance(error)) return view;
        throw error;
      }
    },
  };
  const randomCondensation = (view: View) => {
    const cuts = [...view.cutPoints];
    const [one = 0, other = 0] = [cuts[below(cuts.length)], cuts[below(cuts.length)]];
    if (chance(0.25)) {
      const redactions = [...view.events].flatMap((event): Redaction[] =>
        event.type === 'observation' && chance(0.3) ? [{ eventId: event.id, text: 'masked' }] : [],
      );
      return condensation({ view, redactions });
    }
    const range = { start: Math.min(one, other), end: Math.max(one, other) };
    return condensation({ view, ...range, ...(chance(0.7) ? { summary: `Summary ${below(100)}.` } : {}) });
  };
  const store = chance(0.5) ? memoryEventStore() : undefined;
  const asking = historyTools({ relevance: chance(0.3) || undefined });
  const make = () =>
    condensedHistory({ condenser, codec: anthropicMessages(), model: 'claude-opus-5-5', store, historyTools: asking });
  let history = make();
  let list: AnthropicMessage[] = [{ role: 'user', content: 'Go.' }];
  const forks: AnthropicMessage[][] = [];
  let system = 'You are an agent.';
  for (let step = 0; step < 40; step++) {
    rate = 0.25;
    if (chance(0.05)) history = make();
    if (chance(0.05)) forks.push(structuredClone(list));
    if (chance(0.05) && forks.length > 0)
      [list, forks[0]] = [structuredClone(forks[below(forks.length)] ?? list), list];
    if (chance(0.02)) system += '!';
    if (chance(0.03)) list[0] = { role: 'user', content: `Go ${step}.` };
    const last = list.at(-1);
    if (chance(0.07) && last?.role === 'user' && typeof last.content !== 'string') {
      list.push({ role: 'system', content: 'A notice.' });
    }
    const before = structuredClone(list);
    // What is sent and not kept.
    const reminder: AnthropicMessage[] =
      chance(0.2) && list.at(-1)?.role === 'user' ? [{ role: 'user', content: `Step ${step}.` }] : [];
    const isTail = chance(0.5);
    const given = isTail ? list : [...list, ...reminder];
    const { messages } = await history.fit(given, { system, tools, tail: isTail ? reminder : [] });
    expect(list).toEqual(before);
    // No retry: a refused request fails the test.
    const { content } = await client.messages.create({
      model: 'claude-opus-5-5',
      max_tokens: 1_000,
      thinking: { type: 'adaptive' },
      system,
      tools,
      messages,
    });
    const results = content.flatMap((block) => (block.type === 'tool_use' ? [resultOf(block.id, 20)] : []));
    list.push({ role: 'assistant', content });
    list.push({ role: 'user', content: results.length === 0 ? 'Go on.' : results });
  }
  expect(server.requests).toHaveLength(40);
  await server.close();
});
