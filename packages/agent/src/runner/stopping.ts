import type { ConversationWork } from './conversation-work.js';

/**
 * Stops all work: each run ends after its present step, and is interrupted after the grace. Resolves when all have ended. For runners of
 * your own.
 *
 * @param options - `graceMs`: unit milliseconds. @defaultValue 30000
 */
export async function stopAll(
  work: ReadonlyMap<ConversationWork, Promise<unknown>>,
  { graceMs = 30_000 }: { readonly graceMs?: number } = {},
): Promise<void> {
  for (const one of work.keys()) one.stop();
  const timer = setTimeout(() => {
    for (const one of work.keys()) one.interrupt();
  }, graceMs);
  await Promise.allSettled(work.values());
  clearTimeout(timer);
}
