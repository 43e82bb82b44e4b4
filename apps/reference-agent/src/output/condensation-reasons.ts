import { onOneLine } from '@palimpsest/terminal';

/** What the condensers call their reasons, in words. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['rent', 'to read on would cost more than to write the rest anew'],
  ['cold', 'the prompt cache is cold, so that nothing is lost'],
  ['tokens', 'the request had become too large'],
  ['events', 'the history had become too long'],
  ['batch', 'enough old results had gathered'],
  ['nothing-to-forget', 'it had to condense, and could not'],
  ['hard-reset', 'the request did not fit, however it was condensed'],
  ['interval', 'the next one was due'],
  ['request', 'it was asked for'],
]);

/** Who condensed, and why. */
export function reasonInWords(told: {
  readonly condenser?: string | undefined;
  readonly reason?: string | undefined;
}): string {
  const { condenser = 'condensed', reason } = told;
  if (reason === undefined) return onOneLine(condenser);
  const words = reason.split(', ').map((each) => reasons.get(each) ?? each);
  return onOneLine(`${condenser}: ${words.join(', and ')}`);
}
