import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The files of one conversation. A conversation id is data: it never decides in which folder they are. */
export interface ConversationFiles {
  /** The events. */
  readonly log: string;
  /** The folder in which writers show themselves. */
  readonly lock: string;
  /** The conversation id, as JSON, where it is too long to stand in the name. */
  readonly id: string | undefined;
  /** Where torn bytes are kept; a number follows. */
  readonly torn: string;
}

const logSuffix = '.jsonl';
// File systems allow 255 bytes in a name; the longest suffix of ours has fewer than 20.
const longestName = 200;
const reservedByWindows = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Where the files of a conversation are. */
export function conversationFiles(directory: string, conversationId: string): ConversationFiles {
  const encoded = encode(conversationId);
  const tooLong = encoded.length > longestName;
  const stem = join(directory, tooLong ? hashedName(conversationId) : encoded);
  return {
    log: `${stem}${logSuffix}`,
    lock: `${stem}.lock`,
    id: tooLong ? `${stem}.id` : undefined,
    torn: `${stem}.torn-`,
  };
}

/** What the name of a log says: the conversation's id, or the file that holds it. Undefined where it is not our log. */
export function conversationOfLog(
  name: string,
): { readonly conversationId: string } | { readonly idFile: string } | undefined {
  if (!name.endsWith(logSuffix)) return undefined;
  const stem = name.slice(0, -logSuffix.length);
  if (/^~[0-9a-f]{64}$/.test(stem)) return { idFile: `${stem}.id` };
  try {
    const conversationId = decodeURIComponent(stem);
    return stem !== '' && encode(conversationId) === stem ? { conversationId } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Percent-encodes every byte that some file system takes for another or gives a meaning to: capitals, dots, separators,
 * anything that is not ASCII. What remains is told apart everywhere, and `decodeURIComponent` gives the id back.
 */
function encode(conversationId: string): string {
  const encoded = Array.from(new TextEncoder().encode(conversationId), (byte) => {
    const character = String.fromCharCode(byte);
    return /[a-z0-9_-]/.test(character) ? character : percent(byte);
  }).join('');
  return reservedByWindows.test(encoded) ? percent(encoded.charCodeAt(0)) + encoded.slice(1) : encoded;
}

function percent(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`;
}

// No encoded name begins with '~', so the two kinds of name cannot meet.
function hashedName(conversationId: string): string {
  return `~${createHash('sha256').update(conversationId).digest('hex')}`;
}
