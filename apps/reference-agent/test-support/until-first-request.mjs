// Imported before the command: the address of each module that is loaded goes to file descriptor 3, and its first request ends it.
import { register } from 'node:module';

const hooks = `
import { writeSync } from 'node:fs';
export function load(url, context, next) {
  writeSync(3, url + '\\n');
  return next(url, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
globalThis.fetch = () => process.exit(0);
