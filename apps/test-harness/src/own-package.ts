import { readFileSync } from 'node:fs';

/** A file of this package. Sources and built files both lie in a folder of the package. */
export function ownFile(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}

/** The version of this package. */
export function ownVersion(): string {
  return (JSON.parse(readFileSync(ownFile('package.json'), 'utf8')) as { readonly version: string }).version;
}
