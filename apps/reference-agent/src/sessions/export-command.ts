import { EventLog } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { shownJson } from '@palimpsest/terminal';
import { View } from '@palimpsest/view';
import type { CliContext } from '../context.js';
import { exitStatus } from '../context.js';
import { SessionError, whyUnreadable } from './errors.js';
import type { ListedSession } from './session-list.js';
import { transcript } from './transcript.js';

/** The values of `--format`. */
export const exportFormats = ['jsonl', 'markdown', 'messages'] as const;
/** A value of `--format`. */
export type ExportFormat = (typeof exportFormats)[number];

/** `palimpsest export`: prints a session with all that condensing has hidden. Resolves to the exit status. */
export async function exportCommand(
  { session, record }: ListedSession,
  format: ExportFormat,
  { stdout }: Pick<CliContext, 'stdout'>,
): Promise<number> {
  const { id, store, folder, log: file } = session;
  const log = await EventLog.open(id, { store }).catch((cause: unknown) => {
    throw new SessionError(`Session '${id}' cannot be read: ${whyUnreadable(file, cause)}`, { folder, cause });
  });
  switch (format) {
    case 'jsonl':
      for (const event of log) stdout.write(`${shownJson(event, 0)}\n`);
      break;
    case 'markdown':
      for (const part of transcript(record, log)) stdout.write(part);
      break;
    case 'messages':
      stdout.write(`${shownJson(View.fromEvents(withoutHiding(log)).toMessages())}\n`);
  }
  return exitStatus.done;
}

/** The log as if nothing had ever been condensed. */
function withoutHiding(log: Iterable<Event>): readonly Event[] {
  return [...log].filter(({ type }) => type !== 'condensation' && type !== 'condensation-revert');
}
