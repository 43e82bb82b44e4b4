import { declare } from './commands.js';
import type { ConversationOptions } from './conversation.js';
import { conversationOf, keyOf, meterOf } from './conversations.js';
import type { Engine, StepInput, StepResult } from './host.js';
import { askEarly } from './settings.js';
