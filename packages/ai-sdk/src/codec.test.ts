import { codecContract } from '@palimpsest/messages/testing';
import { describe, test } from 'vitest';
import { plainConversation, richConversation } from '../test-support/conversations.js';
import { modelMessages } from './index.js';

describe('the codec of ModelMessages', () => {
  codecContract({
    test,
    create: () => modelMessages(),
    conversations: () => [plainConversation(), richConversation()],
  });
});
