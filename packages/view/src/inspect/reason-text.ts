/** The names that condensers give their reasons, in words. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['rent', 'to read on would cost more than to write the rest anew'],
  ['cold', 'the prompt cache was cold, so that nothing was lost'],
  ['rewritten', 'the request was rewritten anyway'],
  ['tokens', 'the request had become too large'],
  ['events', 'the history had become too long'],
  ['batch', 'enough old results had gathered'],
  ['nothing-to-forget', 'it had to condense, and could not'],
  ['hard-reset', 'the request did not fit, however it was condensed'],
  ['interval', 'the next one was due'],
  ['request', 'it was asked for'],
]);

/** Returns the `reason` in the metadata of a condensation in words, behind `because`. One that is not known is returned as it is. */
export function reasonText(reason: string): string {
  return reason
    .split(', ')
    .map((each) => reasons.get(each) ?? each)
    .join(', and ');
}
