/** Values that are found in lists of messages and are none, and clean messages with a field that is amiss. */
export function dirtyMessages(clean: readonly unknown[]): readonly unknown[] {
  const wrong: readonly unknown[] = [null, 0, '', 'text', [], {}, [null], { type: 'text' }, true];
  const cyclic: Record<string, unknown> = { role: 'user', content: 'It holds itself.' };
  cyclic['self'] = cyclic;
  const values: unknown[] = [null, undefined, 1, 'words', [], {}, () => undefined, { role: 'nobody' }, cyclic];
  for (const message of clean.slice(0, 40)) {
    if (typeof message !== 'object' || message === null) continue;
    Object.keys(message).forEach((key, index) => {
      values.push({ ...message, [key]: wrong[(index + values.length) % wrong.length] });
    });
  }
  for (const role of ['user', 'assistant', 'tool', 'system', 'developer', 'function']) {
    for (const content of wrong) values.push({ role, content });
  }
  return values;
}
