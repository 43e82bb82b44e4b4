import { readFileSync } from 'node:fs';

/** Returns a file of this package. Sources and built files both lie in a folder of the package. */
export function ownFile(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}

/** Returns the version of this package. */
export function ownVersion(): string {
  return (JSON.parse(readFileSync(ownFile('package.json'), 'utf8')) as { readonly version: string }).version;
}
