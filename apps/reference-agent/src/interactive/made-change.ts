import type { Event, EventLog } from '@palimpsest/events';
import { changedText, fileEdits } from '@palimpsest/tools';
import type { FileHistory } from '@palimpsest/tools';
import { inputOf } from './call-input.js';
import { fileDiff } from './file-diff.js';
import type { FileDiff } from './file-diff.js';

/** Where a change is recorded: what a call did, and what was in the file before. */
export interface ChangeRecords {
  readonly events: EventLog;
  readonly history: FileHistory;
}

/** What a call has changed in a file, whatever became of the file since. Undefined if it changed none, or no text. */
export async function madeChange(actionId: string, { events, history }: ChangeRecords): Promise<FileDiff | undefined> {
  const action = events.get(actionId);
  if (action?.type !== 'action') return undefined;
  const [edit] = fileEdits(eventsSince(action, events)).filter((each) => each.actionId === actionId);
  if (edit === undefined) return undefined;
  const { before: state, path } = edit;
  const before = state === null ? undefined : await textIn(history, state.digest);
  if (state !== null && before === undefined) return undefined;
  const after = changedText({ toolName: action.toolCall.name, input: inputOf(action.toolCall) }, before);
  return after === undefined ? undefined : fileDiff(path, before, after);
}

/** From the newest back: mostly the call is one of the last. */
function eventsSince(action: Event, events: EventLog): readonly Event[] {
  let from = events.length;
  while (from > 0 && events.at(from - 1)?.id !== action.id) from--;
  return events.slice(from);
}

/** Undefined if the content was lost, or is no text. */
async function textIn(history: FileHistory, digest: string): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await history.content(digest));
  } catch {
    return undefined;
  }
}
