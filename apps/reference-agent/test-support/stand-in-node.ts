import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * Returns a `PATH` whose `node` is a line of a shell, for runs of the demo whose commands are not what is tested: all
 * tests of the sample project take ten processes, for each time.
 */
export async function pathWithNode(line: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'node'), `#!/bin/sh\n${line}\n`);
  await chmod(join(folder, 'node'), 0o755);
  return `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
}

/** All tests become those of one file, which fail before the repair. */
const fewTests = `[ $# = 2 ] && [ "$1" = --test ] && set -- "$@" test/compound.test.js`;
/** Node itself; the tests of one file run in its process, not in one more below it. */
const node = `[ $# = 3 ] && [ "$1" = --test ] && shift; exec '${process.execPath}' "$@"`;

/** For {@link pathWithNode}: Node itself, but where all tests are to run those of one file do, which fail before the repair. */
export const nodeWithFewTests = `${fewTests}; ${node}`;

/** The same until the demo has written its own module: then all tests run. */
export const nodeWithFewTestsFirst = `[ -e src/aggregate.js ] || { ${fewTests}; }; ${node}`;
