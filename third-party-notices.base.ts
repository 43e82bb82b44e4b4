import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/** Writes `third-party-notices.txt` beside what is built: the licences of the packages whose code is in it. None, no file. */
export const thirdPartyNotices: Plugin = {
  name: 'third-party-notices',
  setup(build) {
    build.initialOptions.metafile = true;
    build.onEnd(({ metafile }) => {
      const used = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs));
      const folders = new Set(used.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
      const { outdir } = build.initialOptions;
      if (folders.size === 0 || outdir === undefined) return;
      mkdirSync(outdir, { recursive: true });
      writeFileSync(path.join(outdir, 'third-party-notices.txt'), [...folders].sort().map(noticeOf).join('\n\n'));
    });
  },
};

function noticeOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license } = manifest;
  const files = readdirSync(folder).filter((each) => /^(licen[cs]e|copying|notice)/i.test(each));
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...(texts.length > 0 ? texts : [licenceOf(manifest)])].join('\n\n') + '\n';
}

/** The licence of a package that brings no file with it, and only names it. */
function licenceOf({ name, license, author = '' }: Manifest): string {
  if (license !== 'MIT') throw new Error(`${name} has no licence text, so its code must not be published with ours.`);
  const ours = readFileSync(path.join(import.meta.dirname, 'LICENSE'), 'utf8').trim();
  return ours.replace(/^Copyright .*$/m, `Copyright (c) ${typeof author === 'string' ? author : author.name}`);
}
