import { checkChatCompletionsRequest } from '@palimpsest/provider-servers/rules';
import { describe, test } from 'vitest';
import { chatHistory } from '../../test-support/chat-loop.js';
import { richChatHistory } from '../../test-support/chat-loop.js';
import { chatMessages } from '../index.js';
import { codecContract } from '../testing/index.js';

const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }];

describe('the codec of Chat Completions', () => {
  codecContract({
    test,
    create: () => chatMessages(),
    conversations: () => [chatHistory(14), richChatHistory()],
    problems: (messages) =>
      checkChatCompletionsRequest({ model: 'gpt-4o', tools, messages }).map(({ rule, path }) => `${rule} ${path}`),
  });
});
