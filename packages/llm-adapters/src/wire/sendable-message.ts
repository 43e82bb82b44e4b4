import { wellFormedMessage } from '@palimpsest/events';
import type { Message } from '@palimpsest/events';
import { remembering } from '../memo.js';
import { knownMessage } from './known-messages.js';
import type { KnownMessage } from './known-messages.js';

/**
 * The message as an adapter can send it: well-formed, and without the kinds that this version does not know. The same object if
 * nothing has to change; remembered for a frozen message.
 */
export const sendableMessage: (message: Message) => KnownMessage = remembering((message) =>
  knownMessage(wellFormedMessage(message)),
);
