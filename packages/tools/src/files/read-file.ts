import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import { readLines, byteOrderMark, numbered } from '../workspace/text.js';
import { withFile } from '../workspace/open-file.js';
import type { Workspace } from '../workspace/workspace.js';

const maxLines = 400;
/** A longer line is cut. Unit: characters. */
const maxLineCharacters = 2_000;
/** The most that one call returns where the caller states no limit. Unit: characters. */
const defaultMaxCharacters = 60_000;
/** For the note about the rest, and the numbers of the lines. Unit: characters. */
const reservedCharacters = 200;

const input = z.object({
  path: z.string().min(1).describe('The file, relative to the root of the workspace.'),
  start_line: z.int().min(1).optional().describe('The first line to read; lines count from 1.'),
  end_line: z.int().min(1).optional().describe('The last line to read.'),
});

/**
 * Returns the tool `read_file`. A file of any size is read in pieces, and only the lines that are shown are kept. What is shown
 * stays within `ToolContext.maxOutputCharacters`.
 */
export function readFileTool(workspace: Workspace): Tool<z.infer<typeof input>> {
  return defineTool({
    name: 'read_file',
    description: `Read a text file, or some lines of it, with line numbers. At most ${maxLines} lines at once.`,
    input,
    annotations: { readOnly: true, repeatable: true, parallel: true },
    execute: async ({ path, start_line = 1, end_line }, { signal, maxOutputCharacters = defaultMaxCharacters }) => {
      if (end_line !== undefined && end_line < start_line) {
        throw new Error(`end_line (${end_line}) is before start_line (${start_line}).`);
      }
      const wanted = Math.min(end_line ?? Infinity, start_line + maxLines - 1);
      const { lines, total, isComplete, isCrlf } = await withFile(workspace, path, (file) =>
        readLines(file, { shown: path, first: start_line, last: wanted, maxLineCharacters, signal }),
      );
      if (start_line > Math.max(1, total)) {
        throw new Error(`'${path}' has ${total} lines; start_line is ${start_line}.`);
      }
      const shown = fitting(lines, Math.max(maxLineCharacters, maxOutputCharacters - reservedCharacters));
      if (start_line === 1 && shown[0]?.startsWith(byteOrderMark) === true) shown[0] = shown[0].slice(1);
      const last = start_line + shown.length - 1;
      const rest = last < (end_line ?? Infinity) && last < total;
      const notes = [
        ...(isCrlf ? ['[line breaks are CRLF; edit_file keeps them]'] : []),
        ...(rest
          ? [`[${isComplete ? '' : 'at least '}${total - last} more lines; go on at start_line ${last + 1}]`]
          : []),
      ];
      const text = shown.length === 0 ? '[the file is empty]' : numbered(shown, start_line);
      return {
        content: [text, ...notes].join('\n'),
        details: { path, startLine: start_line, endLine: last, ...(isComplete ? { totalLines: total } : {}) },
      };
    },
  });
}

/** As many lines as fit, at least one. Their numbers take some characters too. */
function fitting(lines: readonly string[], maxCharacters: number): string[] {
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 8;
    if (length > maxCharacters && shown.length > 0) break;
    shown.push(line);
  }
  return shown;
}
