import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apps, packages, plugins, workspaceRoot } from './workspace.js';

/** A problem that the linter finds. */
export interface Finding {
  /** As in a comment that permits it, such as `palimpsest/layers`. */
  readonly rule: string;
  /** Counted from 1. */
  readonly line: number;
}

interface Diagnostic {
  readonly filename: string;
  /** Such as `palimpsest(layers)`. Absent of a file that cannot be parsed. */
  readonly code?: string;
  readonly message: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

/** Lines that files of ours could hold. All are linted by one process, in a copy of the workspace that holds nothing else. */
export class LintedLines {
  readonly #texts: string[] = [];
  readonly #files: string[] = [];
  #diagnostics: readonly Diagnostic[] = [];

  /** Adds a file, whose path is ours but for a number. Returns what was found in it, once {@link lint} has run. */
  add(file: string, lines: readonly string[]): () => readonly Finding[] {
    const { dir, base } = path.parse(file);
    const numbered = path.join(dir, base.replace('.', `-${this.#files.length}.`));
    this.#files.push(numbered);
    this.#texts.push(lines.map((line) => `${line}\n`).join(''));
    return () =>
      this.#diagnostics
        .filter(({ filename }) => filename === numbered)
        .map(({ code, message, labels }) => ({
          rule: code?.replace(/^(?:eslint\()?(.*?)\)?$/, '$1').replace('(', '/') ?? message,
          line: labels[0]?.span.line ?? 0,
        }));
  }

  lint(): void {
    const copy = mkdtempSync(path.join(tmpdir(), 'palimpsest-linted-'));
    try {
      const folders = [...packages, ...apps, ...plugins].map(({ directory }) =>
        path.relative(workspaceRoot, directory),
      );
      for (const folder of folders) mkdirSync(path.join(copy, folder), { recursive: true });
      for (const file of ['nx.json', 'tsconfig.base.json', 'lint-rules.js', 'package.json'])
        copyFileSync(path.join(workspaceRoot, file), path.join(copy, file));
      for (const folder of folders)
        copyFileSync(path.join(workspaceRoot, folder, 'package.json'), path.join(copy, folder, 'package.json'));
      linkModules(path.join(copy, 'node_modules'));
      // There are no types here.
      const rules = readFileSync(path.join(workspaceRoot, '.oxlintrc.json'), 'utf8');
      writeFileSync(path.join(copy, '.oxlintrc.json'), rules.replace('"typeAware": true', '"typeAware": false'));
      for (const [index, file] of this.#files.entries()) {
        mkdirSync(path.join(copy, path.dirname(file)), { recursive: true });
        writeFileSync(path.join(copy, file), this.#texts[index] ?? '');
      }
      // Nx's graph of the projects is that of the workspace.
      const graph = path.join(workspaceRoot, '.nx/workspace-data');
      const env = { ...process.env, NX_DAEMON: 'false', NX_WORKSPACE_DATA_DIRECTORY: graph };
      const oxlint = path.join(workspaceRoot, 'node_modules/oxlint/bin/oxlint');
      const ran = spawnSync(process.execPath, [oxlint, '--format=json', 'packages', 'apps', 'plugins', 'tools'], {
        cwd: copy,
        env,
        encoding: 'utf8',
        timeout: 100_000,
      });
      if (!ran.stdout.startsWith('{')) throw new Error(`oxlint did not run: ${ran.stdout}${ran.stderr}`);
      this.#diagnostics = (JSON.parse(ran.stdout) as { diagnostics: readonly Diagnostic[] }).diagnostics;
    } finally {
      rmSync(copy, { recursive: true });
    }
  }
}

/** Makes the folder with all that is installed; our own packages in it are those beside it. */
function linkModules(modules: string): void {
  const installed = path.join(workspaceRoot, 'node_modules');
  mkdirSync(path.join(modules, '@palimpsest'), { recursive: true });
  const own = [...packages, ...apps, ...plugins].map(({ manifest, directory }) => ({ name: manifest.name, directory }));
  const isOwn = (folder: string): boolean => own.some(({ name }) => name.split('/')[0] === folder);
  for (const name of readdirSync(installed).filter((each) => !isOwn(each) && !each.startsWith('.')))
    symlinkSync(path.join(installed, name), path.join(modules, name));
  for (const { name, directory } of own) {
    const link = path.join(modules, name);
    const copy = path.join(modules, '..', path.relative(workspaceRoot, directory));
    symlinkSync(path.relative(path.dirname(link), copy), link);
  }
}
