import { wellFormedMessage } from '@palimpsest/events';
import type { AssistantMessage, Message, ToolMessage } from '@palimpsest/events';
import { knownMessage } from './known-messages.js';
import type { KnownAssistantMessage, KnownMessage, KnownToolMessage } from './known-messages.js';

/**
 * The message as an adapter can send it: well-formed, and without the kinds that this version does not know. The same object if
 * nothing has to change. Messages of a view need no change; messages that a caller built may.
 */
export function sendableMessage(message: AssistantMessage): KnownAssistantMessage;
export function sendableMessage(message: ToolMessage): KnownToolMessage;
export function sendableMessage(message: Message): KnownMessage;
export function sendableMessage(message: Message): KnownMessage {
  return knownMessage(wellFormedMessage(message));
}
