import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The files of one conversation. A conversation id is data: it never decides in which folder they are. */
export interface ConversationFiles {
  /** The events. */
  readonly log: string;
  /** The folder with the token files of the writers. */
  readonly lock: string;
  /** The file that holds the conversation id as JSON, if the id is too long for a file name. */
  readonly id: string | undefined;
  /** The path of the files that keep torn bytes; a number is appended. */
  readonly torn: string;
}

const logSuffix = '.jsonl';
// File systems allow 255 bytes in a name; our longest suffix has fewer than 20.
const longestName = 200;
const reservedByWindows = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Returns the paths of the files of a conversation. */
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

/**
 * Returns the conversation id from the name of a log, or the file that holds the id. Undefined if the file is not one
 * of our logs.
 */
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
 * Percent-encodes every byte that some file system confuses with another or treats as special: capitals, dots, separators,
 * non-ASCII bytes. The result is distinct on every file system, and `decodeURIComponent` returns the id.
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

// No encoded name begins with '~', so the two kinds of name cannot collide.
function hashedName(conversationId: string): string {
  return `~${createHash('sha256').update(conversationId).digest('hex')}`;
}
