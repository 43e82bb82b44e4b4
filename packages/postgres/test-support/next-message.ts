import type { ChildProcess } from 'node:child_process';

/**
 * Resolves to the next message of a process.
 *
 * @throws when it ends, or has ended, without one
 */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error('The process ended without a message.'));
    child.once('message', resolve);
    // What it has sent is read by then.
    if (child.connected) child.once('disconnect', end);
    else end();
  });
}
