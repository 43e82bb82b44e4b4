/** The first lines of a summary that was made without a model. */
export function summaryHeader(events: number): string {
  return (
    `Summary of ${events} earlier events of this conversation, which are no longer shown. It was put together from the log by ` +
    'rule: names, paths, ids and statuses are exact. What is listed as done is done; do not do it again. ' +
    'Read a file again before you edit it. ' +
    'The log keeps the originals: an address, a path or words from them find them.'
  );
}

/** The headings of a summary's sections, as the model reads them. */
export const headings = {
  userWords: 'What the user said (oldest first, word for word)',
  running: 'Still running, as far as the log tells (newest last)',
  tasks: 'Open tasks',
  turns: 'How your turns ended, and what the user answered (newest last)',
  earlierSummaries: 'Earlier summaries',
  failingTests: 'Tests that failed when they last ran',
  changedFiles: 'Files changed',
  errors: 'Errors not seen to be solved (newest last)',
  commands: 'Commands run (newest last, failed ones behind the others)',
  calls: 'Other calls made (newest last, failed ones behind the others)',
  identifiers: 'Identifiers',
  readFiles: 'Files only read',
  looks: 'Looked at (newest last)',
  agentWords: 'What you said last',
} as const;

/** Stands where entries of a section did not fit. */
export function leftOutLine(count: number): string {
  return `- (${count} older left out)`;
}

/** Stands before the user's words where long ones did not fit. */
export const cutNote = '(Long messages are cut in the middle; their addresses find the whole.)';
