import type { AssistantMessage } from '@palimpsest/events';
import { field, textOf } from './json-fields.js';
import type { ThinkingPiece } from './pieces.js';

// Gemini puts the signature of its thoughts on the calls that follow from them (`extra_content.google.thought_signature`), and
// only on the first call of a parallel batch. In neutral form this is a thinking block without text; the block's position
// identifies the call.

/** Google's documented value for a call with an unknown signature: another model made the call, or an edit lost the signature. */
const notKnown = 'skip_thought_signature_validator';

/**
 * The signature field of a call: its own signature; for the first call of an answer without one, the documented value. Gemini
 * requires only the signatures since the user's last message. The others are sent too, so that a longer request extends a
 * shorter one.
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

/** The signature on a call as a thinking block at the call's position; none if the call has no signature of its own. */
export function signatureOn(call: unknown): readonly ThinkingPiece[] {
  const signature = textOf(field(field(field(call, 'extra_content'), 'google'), 'thought_signature'));
  if (signature === undefined || signature === notKnown) return [];
  return [{ type: 'thinking', block: { type: 'thinking', thinking: '', signature }, isOnCall: true }];
}
