import { checkAnthropicRequest } from '@palimpsest/provider-servers/rules';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, it, test } from 'vitest';
import { anthropicHistory, richAnthropicHistory } from '../../test-support/anthropic-loop.js';
import { anthropicMessages, condensedHistory } from '../index.js';
import { codecContract } from '../testing/index.js';

const tools = [{ name: 'read', input_schema: { type: 'object' } }];

describe('the codec of the Messages API', () => {
  codecContract({
    test,
    create: () => anthropicMessages(),
    conversations: () => [anthropicHistory(14), richAnthropicHistory()],
    problems: (messages) =>
      checkAnthropicRequest({ model: 'claude-opus-5-5', max_tokens: 100, tools, messages }).map(
        ({ rule, path, message }) => `${rule} ${path} ${message}`,
      ),
  });

  it("tells a reminder from the user's words in one message", () => {
    const host = anthropicMessages().read(richAnthropicHistory()[0]);
    const marked = host.pieces.map((piece) => piece.type === 'content' && piece.isPreamble === true);
    expect(marked.slice(0, 3)).toEqual([true, false, false]);
  });
});

const settings = { role: 'system', content: [], output_config: { effort: 'medium' } };
/** A list as pi 1.5.2 sends it: settings behind each message of the user. */
const withSettings = anthropicHistory(10).flatMap((message): (typeof message)[] =>
  message.role === 'user' ? [message, settings as unknown as typeof message] : [message],
);

it.each([
  ['notices', richAnthropicHistory(), 3],
  ['settings', withSettings, 11],
])('keeps messages of the role system where the provider takes them: %s', async (_what, list, count) => {
  const places = list.flatMap(({ role }, index) => ((role as string) === 'system' ? [index] : []));
  expect(places).toHaveLength(count);
  for (let start = 2; start < 12; start++) {
    for (let end = start + 1; end < 24; end++) {
      const condenser: Condenser = {
        name: 'ranges',
        condense: (view) => {
          if (view.condensations.length > 0) return view;
          const cuts = [...view.cutPoints];
          const [from, to] = [cuts[start], cuts[end]];
          if (from === undefined || to === undefined) return view;
          return condensation({ view, start: from, end: to, summary: 'A summary.' });
        },
      };
      const { messages } = await condensedHistory({ condenser, codec: anthropicMessages() }).fit(list);
      const body = { model: 'claude-opus-5-5', max_tokens: 100, tools, messages };
      const betas = ['mid-conversation-output-config-2026-07-01'];
      const problems = checkAnthropicRequest(body, { betas }).map(
        ({ rule, path, message }) => `${rule} ${path} ${message}`,
      );
      expect(problems, `${start}–${end}`).toEqual([]);
    }
  }
});
