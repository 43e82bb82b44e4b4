import type { AssistantMessage } from '@palimpsest/events';
import { field, textOf } from './json-fields.js';
import type { ThinkingPiece } from './read-message.js';

// Gemini signs its thoughts on the calls that came of them (`extra_content.google.thought_signature`), the first of a parallel
// batch alone. That is a thinking block without words, and the block's position says which call it stood on.

/** Google's own word for a call whose signature is not known: made by another model, or lost to an edit. */
const notKnown = 'skip_thought_signature_validator';

/**
 * The field with which a call is sent: its own signature, and for the first call of an answer at least the stand-in. Gemini
 * asks only for those since the user's last words; sending the others too keeps a longer request an extension of a shorter.
 *
 * @see provider-rules D, Gemini
 */
export function signatureOfCall(message: AssistantMessage, index: number): object {
  const position = message.content.length + index;
  const own = message.thinkingBlocks?.find((block) => block.type === 'thinking' && block.position === position);
  const signature = own?.type === 'thinking' ? own.signature : undefined;
  const sent = signature ?? (index === 0 ? notKnown : undefined);
  return sent === undefined ? {} : { extra_content: { google: { thought_signature: sent } } };
}

/** The signature on a call as thinking that stands on the call; none where the call has none of its own. */
export function signatureOn(call: unknown): readonly ThinkingPiece[] {
  const signature = textOf(field(field(field(call, 'extra_content'), 'google'), 'thought_signature'));
  if (signature === undefined || signature === notKnown) return [];
  return [{ type: 'thinking', block: { type: 'thinking', thinking: '', signature }, isOnCall: true }];
}
