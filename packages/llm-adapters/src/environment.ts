/** A variable of the process, without surrounding blanks; undefined where it is empty or there is no process. */
export function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  const value = process?.env?.[name]?.trim();
  return value === '' ? undefined : value;
}
