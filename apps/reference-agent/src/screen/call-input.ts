import type { FileDiff } from '@palimpsest/tools/diff';
import { diffLines } from './diff-lines.js';
import { brokenAtWidth, cutLine, harmless, harmlessLine, wrapped } from './shown-width.js';
import type { Styles } from './styles.js';

/** A call as the model wrote it. */
interface Call {
  readonly name: string;
  readonly arguments: string;
}

/**
 * The whole input of a call: each argument with its name, a command as it is typed, and a change of a file as lines that go and lines
 * that come, if no diff is at hand. Nothing of it is cut. Unit of `width`: columns.
 */
export function inputLines({ name, arguments: json }: Call, width: number, styles: Styles, diff?: FileDiff): string[] {
  const { dim } = styles.colours;
  const asked = parsed(json);
  if (asked === undefined)
    return [dim(cutLine(`${harmlessLine(name)}, not JSON:`, width)), ...brokenAtWidth(harmless(json), width)];
  const lines: string[] = [];
  for (const [key, value] of Object.entries(asked)) {
    if (diff !== undefined && changesOfFiles.has(key)) continue;
    lines.push(...argumentLines(key, value, width, styles));
  }
  if (diff === undefined) return lines;
  const heading = `${diff.isNew ? 'new file' : 'change'}: +${diff.added} -${diff.removed}`;
  return [...lines, dim(cutLine(heading, width)), ...diffLines(diff, width, styles.colours)];
}

/** Arguments that a diff shows better. */
const changesOfFiles = new Set(['old_text', 'new_text', 'content']);

function argumentLines(key: string, value: unknown, width: number, styles: Styles): string[] {
  const { dim, colours } = { ...styles.colours, colours: styles.colours };
  if (key === 'command' && typeof value === 'string') {
    // A prompt before each line, so that no line of a command passes for the program's own words.
    return value.split('\n').flatMap((line, index) => {
      const [first = '', ...rest] = brokenAtWidth(harmless(line), width - 2);
      return [`${dim(index === 0 ? '$' : '>')} ${first}`, ...rest.map((more) => `  ${more}`)];
    });
  }
  if (key === 'old_text' && typeof value === 'string')
    return diffLines({ lines: linesOf('removed', value) }, width, colours);
  if ((key === 'new_text' || key === 'content') && typeof value === 'string')
    return diffLines({ lines: linesOf('added', value) }, width, colours);
  const text = typeof value === 'string' ? harmless(value) : harmless(JSON.stringify(value, null, 2) ?? 'undefined');
  const label = `${harmlessLine(key)}: `;
  if (!text.includes('\n') && label.length + text.length <= width) return [`${dim(label)}${text}`];
  return [dim(cutLine(label.trimEnd(), width)), ...wrapped(text, width - 2).map((line) => `  ${line}`)];
}

function linesOf(kind: 'added' | 'removed', text: string) {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ kind, text: line }));
}

function parsed(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json === '' ? '{}' : json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
