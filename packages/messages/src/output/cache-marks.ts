import { listOf } from '@palimpsest/llm-adapters/wire';
import type { CacheMark, Codec } from '../codecs/codec.js';
import { marksIn } from '../codecs/parts.js';
import type { SentMessage } from './output.js';

/** The number of marks that providers accept in one request. @see provider-rules A12 and B11 */
const maxMarks = 4;

/**
 * Returns the messages to send, with the host's cache marks of messages that are left out or changed: each on the
 * message that is sent last before its place. The order of the marks stays, so longer lives stand first. No more are set than fit
 * beside those that the host holds.
 *
 * @param beside - the instructions and tools of the request, which can carry marks too
 */
export function withMarks(
  sent: readonly SentMessage[],
  messages: readonly unknown[],
  codec: Codec,
  beside: readonly unknown[],
): readonly SentMessage[] {
  const { marks, marked } = codec;
  if (marks === undefined || marked === undefined) return sent;
  const lost = lostMarks(sent, messages, marks);
  if (lost.length === 0) return sent;
  const marksOfSent = sent.map(({ message }) => marks(message).length);
  let room =
    maxMarks - [...marksOfSent, ...beside.map((one) => marksIn(listOf(one)).length)].reduce((sum, one) => sum + one, 0);
  const result = [...sent];
  // The newest mark covers most.
  for (const { mark, place } of lost.reverse()) {
    for (let at = place; at >= 0 && room > 0; at--) {
      if ((marksOfSent[at] ?? 0) > 0) break;
      const { message, ...rest } = result[at] as SentMessage;
      const copy = marked(message, mark);
      if (copy === undefined) continue;
      result[at] = { ...rest, message: copy };
      marksOfSent[at] = 1;
      room--;
      break;
    }
  }
  return result;
}

interface LostMark {
  readonly mark: CacheMark;
  /** The place in what is sent, at or before which it is set again. */
  readonly place: number;
}

function lostMarks(
  sent: readonly SentMessage[],
  messages: readonly unknown[],
  marksOf: (message: unknown) => readonly CacheMark[],
): LostMark[] {
  const lost: LostMark[] = [];
  let place = -1;
  messages.forEach((message, index) => {
    // Summaries stand before the message that follows them.
    let own: unknown;
    while (place + 1 < sent.length && (sent[place + 1]?.index ?? index) <= index) {
      place++;
      if (sent[place]?.index === index) own = sent[place]?.message;
    }
    if (own === message) return;
    const marks = marksOf(message);
    const [mark] = [...marks].sort((one, other) => other.lifeMs - one.lifeMs);
    if (mark !== undefined && (own === undefined || marksOf(own).length < marks.length)) lost.push({ mark, place });
  });
  return lost;
}
