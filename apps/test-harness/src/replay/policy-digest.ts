import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { digestOfInstalled } from './code-digest.js';
import type { PolicySource } from './policy.js';

/**
 * The digest of all that a policy's results depend on besides the harness: its options, and the code of the packages that it names.
 * Undefined if that cannot be told, so that its results are not stored.
 */
export async function policyDigest(source: PolicySource): Promise<string | undefined> {
  switch (source.kind) {
    case 'none':
    case 'name':
      return JSON.stringify(source);
    case 'config': {
      const config = JSON.stringify(source.config);
      return digestWith(config, source.folder);
    }
    case 'file':
      return digestWith(await readFile(source.file, 'utf8'), dirname(resolve(source.file)));
  }
}

const packageName = /["']?\buse["']?\s*[:=]\s*["']([^"']+)["']/g;

async function digestWith(config: string, folder: string): Promise<string | undefined> {
  // Prompts in files of their own are not looked for.
  if (/prompt_?file/i.test(config)) return undefined;
  const hash = createHash('sha256').update(config);
  for (const [, name = ''] of config.matchAll(packageName)) {
    const digest = await digestOfInstalled(name, folder);
    if (digest === undefined) return undefined;
    hash.update(digest);
  }
  return hash.digest('hex');
}
