import { printableLine } from '@palimpsest/terminal';
import type { FileDiff } from '@palimpsest/tools/diff';
import { formatCount } from './lines.js';
import type { Line } from './lines.js';
import type { WrittenCall } from './phrases.js';

/**
 * Returns the whole input of a call, argument by argument. Nothing of it is cut: it is what runs. A change of a file is lines that go and
 * lines that come, or the diff if there is one.
 */
export function callLines({ name, arguments: json }: WrittenCall, diff?: FileDiff): readonly Line[] {
  const input = inputIn(json);
  if (input === undefined) {
    return [{ text: `${printableLine(name)}, not JSON:`, style: 'dim' }, ...behind('| ', json.split('\n'))];
  }
  const shown = Object.entries(input).filter(([key]) => diff === undefined || !changesOfFiles.has(key));
  return [
    ...shown.flatMap(([key, value]) => argumentLines(key, value)),
    ...(diff === undefined ? [] : diffLines(diff)),
  ];
}

/** Arguments that a diff shows better. */
const changesOfFiles = new Set(['old_text', 'new_text', 'content']);

function argumentLines(key: string, value: unknown): readonly Line[] {
  const lines = (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'undefined')).split(/\r?\n/);
  if (typeof value === 'string' && changesOfFiles.has(key)) {
    if (lines.length > 1 && lines.at(-1) === '') lines.pop();
    return lines.map((text) => ({ text, style: key === 'old_text' ? 'removed' : 'added', isVerbatim: true }));
  }
  if (typeof value === 'string' && key === 'command') {
    const [first = '', ...more] = value.split('\n');
    return [{ text: first, lead: '$ ', isVerbatim: true }, ...behind('> ', more)];
  }
  const label = printableLine(key);
  const [first = '', ...more] = lines;
  return more.length === 0
    ? [{ text: first, lead: `${label}: `, isVerbatim: true }]
    : [{ text: `${label}:`, style: 'dim' }, ...behind('| ', lines)];
}

/** A lead before each line, so that none passes for another argument, or for words of the program. */
function behind(lead: string, lines: readonly string[]): readonly Line[] {
  return lines.map((text) => ({ text, lead, isVerbatim: true }));
}

function inputIn(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json === '' ? '{}' : json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a call that waits for a yes: its name, its input and the words of the model. */
export function waitingCallLines(
  call: WrittenCall & Parameters<typeof claimLines>[0] & { readonly diff?: FileDiff | undefined },
): readonly Line[] {
  const below = [...callLines(call, call.diff), ...claimLines(call)];
  return [{ text: printableLine(call.name) }, ...below.map((line) => ({ ...line, indent: 2 }))];
}

/** Returns the words of a model about its call, which nobody has checked. */
export function claimLines({
  summary,
  risk,
}: {
  readonly summary?: string | undefined;
  readonly risk?: string | undefined;
}): readonly Line[] {
  const claims = [
    ...(risk === undefined || risk === 'unknown' ? [] : [`risk: ${printableLine(risk)}`]),
    ...(summary === undefined ? [] : [`“${printableLine(summary)}”`]),
  ];
  return claims.length === 0 ? [] : [{ text: `the model says, unchecked: ${claims.join(' · ')}`, style: 'dim' }];
}

/** Returns the size of a diff: `New file a.ts: 3 lines added, 0 removed`. */
export function diffPhrase({ path, isNew, added, removed }: FileDiff): string {
  return `${isNew ? 'New file' : 'Change of'} ${printableLine(path)}: ${formatCount(added, 'line')} added, ${removed} removed`;
}

/** Returns a diff with the numbers of its lines. */
export function diffLines(diff: FileDiff): readonly Line[] {
  const digits = String(Math.max(0, ...diff.lines.map(({ line = 0 }) => line))).length;
  return [
    { text: diffPhrase(diff), style: 'dim' },
    ...diff.lines.map(({ kind, text, line = '' }): Line => {
      if (kind === 'gap') return { text, lead: '⋯ ', style: 'dim' };
      const number = `${String(line).padStart(digits)} `;
      // A sign stands before lines that go or come.
      return kind === 'same'
        ? { text, lead: `  ${number}`, isVerbatim: true }
        : { text, lead: number, style: kind, isVerbatim: true };
    }),
  ];
}
