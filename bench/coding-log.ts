import { parseEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { MeasuredLog } from './histories.js';

const [files, linesOfFile, linesOfReading] = [12, 400, 150];
const verbs = ['read', 'write', 'find', 'sort', 'merge', 'check', 'count'];
const nouns = ['order', 'cart', 'invoice', 'customer', 'address'];

/**
 * Makes the log of an agent that works on twelve files: it reads parts of them again and again, searches them, replaces lines and runs
 * tests. The same length makes the same texts.
 */
export function codingLog(length: number): MeasuredLog {
  const contents = Array.from({ length: files }, (_, file) =>
    Array.from({ length: linesOfFile }, (_, line) => codeLine(file, line)),
  );
  const log = logBuilder();
  log.user('Make the totals of all carts exact, and keep the tests green.');
  for (let step = 0; log.events.length < length; step++) {
    const file = (step * 5) % files;
    const path = `/work/shop/src/${nouns[file % nouns.length]}-${file}/totals.ts`;
    const lines = contents[file] as string[];
    const from = (step * 37) % (linesOfFile - linesOfReading);
    const part = lines.slice(from, from + linesOfReading);
    const printed = part.map((line, index) => `${String(from + index + 1).padStart(6)}\t${line}`);
    log.call('read_file', { path, offset: from + 1, limit: linesOfReading }, printed.join('\n'));
    const at = from + 70;
    const old = lines[at] as string;
    lines[at] = `  const exact${step} = roundedTo(${step}, ${nouns[step % nouns.length]}Total); // of step ${step}`;
    log.call('edit', { path, old_string: old, new_string: lines[at] }, `${path} has been updated successfully.`);
    const found = part
      .filter((_, index) => index % 9 === 0)
      .map((line, index) => `${path}:${from + 9 * index}:${line}`);
    log.call('bash', { command: `grep -rn "total" ${path}` }, found.join('\n'));
    const tests = Array.from(
      { length: 30 },
      (_, test) => `ok ${test + 1} - ${verbs[test % 7]}s the ${nouns[test % 5]} of ${step}`,
    );
    log.call('bash', { command: `npm test -- ${path}` }, tests.join('\n'));
  }
  return { origin: 'a made log of code', events: log.events.slice(0, length).map(parseEvent) };
}

function codeLine(file: number, line: number): string {
  const [verb, noun] = [verbs[(file + line) % verbs.length], nouns[(3 * file + line) % nouns.length]];
  if (line % 8 === 0) return `export function ${verb}${file}Part${line}(${noun}: ${noun}Of${file}): number {`;
  return line % 8 === 7 ? '}' : `  const ${noun}${line} = ${verb}(${noun}.items[${line}], options.of${file}.limit);`;
}
