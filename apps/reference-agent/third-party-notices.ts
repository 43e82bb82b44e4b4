import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Writes `third-party-notices.txt`: the licences of the packages whose code is in the built program. */
export async function writeNotices(folder: string): Promise<void> {
  const { inputs } = JSON.parse(readFileSync(path.join(folder, 'metafile-esm.json'), 'utf8')) as Metafile;
  // re2js is in the file of the worker thread alone.
  const files = [...Object.keys(inputs), '../../node_modules/re2js/'];
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  writeFileSync(path.join(folder, 'third-party-notices.txt'), [...folders].sort().map(noticeOf).join('\n\n'));
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
  const [file] = readdirSync(folder).filter((each) => /^(licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8');
  if (license === undefined && text === '')
    throw new Error(`${name} has no licence, so it must not be in the program.`);
  return `${name} ${version} (${license ?? 'see below'})\n\n${text.trim()}\n`;
}
