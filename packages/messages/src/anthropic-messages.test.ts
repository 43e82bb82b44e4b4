import { checkAnthropicRequest } from '@palimpsest/provider-servers';
import { describe, expect, it, test } from 'vitest';
import { anthropicHistory, richAnthropicHistory } from '../test-support/anthropic-loop.js';
import { anthropicMessages } from './index.js';
import { codecContract } from './testing/index.js';

const tools = [{ name: 'read', input_schema: { type: 'object' } }];

describe('the codec of the Messages API', () => {
  codecContract({
    test,
    create: () => anthropicMessages(),
    conversations: () => [anthropicHistory(14), richAnthropicHistory()],
    problems: (messages) =>
      checkAnthropicRequest({ model: 'claude-sonnet-4-6', max_tokens: 100, tools, messages }).map(
        ({ rule, path, message }) => `${rule} ${path} ${message}`,
      ),
  });

  it("tells a reminder from the user's words in one message", () => {
    const host = anthropicMessages().read(richAnthropicHistory()[0]);
    const marked = host.pieces.map((piece) => piece.type === 'content' && piece.isPreamble === true);
    expect(marked.slice(0, 3)).toEqual([true, false, false]);
  });
});
