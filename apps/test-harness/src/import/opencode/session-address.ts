/**
 * The address of one session in a database of many: `/home/me/.local/share/opencode/opencode.db#ses_1`. A path of this form
 * names a session only if no file has the path as its name.
 */
export function sessionAddress(database: string, id: string): string {
  return `${database}#${id}`;
}

/** The database and the id in an address; `undefined` for a path without an id. */
export function parseSessionAddress(path: string): { readonly database: string; readonly id: string } | undefined {
  const [, database, id] = /^(.+)#(ses[\w-]*)$/s.exec(path) ?? [];
  return database === undefined || id === undefined ? undefined : { database, id };
}
