import { ConversationBusyError, PalimpsestError } from '@palimpsest/events';
import { shownLines } from '@palimpsest/terminal';
import { exitStatus } from './exit-status.js';

/** The codes of errors that are not wrong input: it was right, and something came between. */
const failures = new Set([
  'concurrency',
  'conversation-busy',
  'event-store',
  'writer-ousted',
  'undo-conflict',
  'file-history',
]);

/** What to print of an error that the user can do something about; undefined for a defect, whose stack is needed. */
export function problemOf(error: unknown): { readonly message: string; readonly exitStatus: number } | undefined {
  if (!PalimpsestError.isInstance(error)) return undefined;
  return {
    message: shownLines(messageOf(error)),
    exitStatus: failures.has(error.code) ? exitStatus.error : exitStatus.wrongInput,
  };
}

/** What to tell of an error in a session, which goes on. A defect has its stack, which is needed to repair it. */
export function problemInWords(error: unknown): string {
  const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return problemOf(error)?.message ?? `Palimpsest has a defect: ${defect}`;
}

function messageOf(error: PalimpsestError): string {
  if (!ConversationBusyError.isInstance(error)) return error.message;
  return `Session '${error.conversationId}' is at work in ${error.holder}. Go on with it when that has ended.`;
}
