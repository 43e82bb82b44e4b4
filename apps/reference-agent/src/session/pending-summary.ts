import type { Conversation } from '@palimpsest/agent';

/** For how long the end of a session waits for a summary. Unit: milliseconds. */
const summaryGraceMs = 30_000;
/** A wait that takes longer is told. Unit: milliseconds. */
const silentMs = 500;

/** The note while {@link pendingSummary} waits. */
export const summaryWaitInWords = `A summary is being written, and waited for: ${summaryGraceMs / 1_000} seconds at most. Ctrl-C gives it up.`;

/** Options of {@link pendingSummary}. */
export interface PendingSummaryOptions {
  /** Gives the summary up. */
  readonly signal: AbortSignal;
  /** Called when the wait takes long. */
  readonly onWait: () => void;
  /** The summary is given up after so long. Unit: milliseconds. @defaultValue 30 seconds */
  readonly graceMs?: number;
}

/**
 * Waits for the summary that the last run has left in the background, which is then in the log: `resume` reads it, and nobody pays for it
 * twice. Resolves in any case. What is given up, or cannot be stored, is written anew when the session goes on.
 */
export async function pendingSummary(
  conversation: Conversation,
  { signal, onWait, graceMs = summaryGraceMs }: PendingSummaryOptions,
): Promise<void> {
  const end = new AbortController();
  const giveUp = (): void => end.abort(new Error('The summary was given up.'));
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  const timers = [setTimeout(onWait, silentMs), setTimeout(giveUp, graceMs)];
  try {
    await conversation.settle({ signal: end.signal });
  } catch {
    // Given up; or another process has the session, or its disk is full.
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}
