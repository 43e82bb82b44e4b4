/** An environment variable, trimmed. Undefined if it is empty or if there is no `process`. */
export function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  const value = process?.env?.[name]?.trim();
  return value === '' ? undefined : value;
}
