import type { View } from '@palimpsest/view';
import type { FileOperation } from '../authoring/calls/arguments.js';
import { oneLine } from '../authoring/calls/excerpt.js';
import type { RangeContent, RangeFact, RangeFacts, ReadRangeFacts } from '../authoring/summaries/range.js';
import { readFacts, readFactsAhead, stillRunning } from './facts/event-facts.js';
import type { TaskItem } from './facts/fact.js';
import { manifestThrough } from './facts/lineage.js';
import { Manifest } from './facts/manifest.js';
import { isOpen } from './facts/task-facts.js';
import { wordsOfEvent } from './facts/words-of-event.js';

/** So many failing tests come before the changed files, which so have room. */
const firstTests = 5;
const mostTests = 20;

/**
 * The facts of a range in a manifest: the user's words, and all that a summary must name: the newest 10 ids of
 * what still runs, also by what stands behind the range, the last error not seen to be solved, open tasks, the newest 5 failing tests, the changed files, and up to 15 failing tests more, the newest
 * first. The events behind the summaries in the range count, through all their generations; they are read from the log, never from
 * the text of a summary.
 */
export const factsOfRange: ReadRangeFacts = /* @__PURE__ */ Object.assign(readRangeFacts, { ahead: readFactsAhead });

function readRangeFacts(view: View, { forgotten, place }: RangeContent): RangeFacts {
  const before = new Manifest();
  readFacts(view.events.slice(0, place), view, before);
  const manifest = manifestThrough(view, forgotten, before);
  const tests = manifest.failingTests
    .slice(-mostTests)
    .toReversed()
    .map((name) => ({ text: `Test that failed when it last ran: ${name}`, name }));
  return {
    userWords: manifest.userWords.flatMap((id) => wordsOfEvent(view.original(id)) || []),
    facts: [
      ...stillRunning(view, forgotten, manifest)
        .toReversed()
        .map(({ id, of }) => ({ text: `Still running: ${id} (${of})`, name: id })),
      ...manifest.errors
        .slice(-1)
        .map(({ of, text }) => ({ text: `Last error, of ${oneLine(of, 120)}: ${text}`, name: text })),
      ...manifest.tasks.filter(isOpen).flatMap(taskFact),
      ...tests.slice(0, firstTests),
      ...changedFiles(manifest).map(({ path, change }) => ({ text: `File ${change}: ${path}`, name: path })),
      ...tests.slice(firstTests),
    ],
  };
}

/** The files with their latest change, the newest first. */
function changedFiles({ files }: Manifest): readonly { readonly path: string; readonly change: FileOperation }[] {
  const changed: { readonly path: string; readonly change: FileOperation }[] = [];
  // Most files of a long history were only read.
  for (const { path, operations } of files) {
    const change = operations.findLast((operation) => operation !== 'read');
    if (change !== undefined) changed.push({ path, change });
  }
  return changed.reverse();
}

function taskFact({ id, title, status = 'open' }: TaskItem): readonly RangeFact[] {
  const name = title ?? (id === undefined ? undefined : `#${id}`);
  return name === undefined ? [] : [{ text: `Open task (${status}): ${name}`, name }];
}
