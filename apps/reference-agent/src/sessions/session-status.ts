import { open } from 'node:fs/promises';
import { ConversationBusyError } from '@palimpsest/events';
import type { Session } from './session.js';

/** How much of the end of a log is read: a run ends with its status. Unit: bytes. */
const tailBytes = 65_536;

/**
 * What became of a session, from the end of its log: the status of its conversation; `at work in process 123` while it runs;
 * `cut off` if its process died.
 */
export async function sessionStatus(session: Session): Promise<string> {
  const { tail, isWhole } = await tailOf(session.log);
  // A long run has its status far behind; a session that was only forked has none.
  const status = statusIn(tail) ?? (isWhole ? 'idle' : 'running');
  if (status !== 'running' && status !== 'idle') return status;
  try {
    await (await session.store.openForWriting(session.id)).close();
    return status === 'idle' ? status : 'cut off';
  } catch (error) {
    if (ConversationBusyError.isInstance(error)) return `at work in ${error.holder}`;
    throw error;
  }
}

/** The newest status among whole lines. The first line may be half of one. */
function statusIn(tail: string): string | undefined {
  for (const line of tail.split('\n').reverse()) {
    // Most lines are long and of other events.
    if (!line.includes('conversation-state-update')) continue;
    try {
      const event = JSON.parse(line) as { readonly type?: unknown; readonly key?: unknown; readonly value?: unknown };
      const isStatus = event.type === 'conversation-state-update' && event.key === 'status';
      if (isStatus && typeof event.value === 'string') return event.value;
    } catch {
      // Half a line.
    }
  }
  return undefined;
}

async function tailOf(path: string): Promise<{ readonly tail: string; readonly isWhole: boolean }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    return { tail: buffer.toString('utf8', 0, bytesRead), isWhole: from === 0 };
  } finally {
    await file.close();
  }
}
