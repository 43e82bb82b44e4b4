import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import { changeFile } from './change.js';
import type { FileChangeOptions } from './change.js';
import { fileEditType } from '../changes/file-history.js';
import { byteOrderMark, hasCrlf, linesOf } from '../workspace/text.js';
import type { Workspace } from '../workspace/workspace.js';

/** The input of `write_file`. */
export const writeInput = z.object({
  path: z.string().min(1).describe('The file, relative to the root of the workspace. Folders are made as needed.'),
  content: z.string().describe('The whole content of the file.'),
});

/** Returns the tool `write_file`. A file is replaced in one step, and keeps its mode and its byte order mark. */
export function writeFileTool(workspace: Workspace, options: FileChangeOptions = {}): Tool<z.infer<typeof writeInput>> {
  return defineTool({
    name: 'write_file',
    description: 'Write a whole file. What was in it before is lost: to change a part of a file, use edit_file.',
    input: writeInput,
    annotations: { repeatable: true },
    ...(options.history === undefined ? {} : { eventTypes: [fileEditType] }),
    execute: async ({ path, content }, context) => {
      const { before, isChanged, place } = await changeFile(
        workspace,
        path,
        context,
        { ...options, create: true },
        (found) => ({ content: found !== undefined && hasMark(found.content) ? withMark(content) : content }),
      );
      const lines = linesOf(content).length;
      const created = before === undefined;
      const what = isChanged ? (created ? 'Created' : 'Replaced') : 'Nothing was changed in';
      const notes = [
        ...(isChanged && before !== undefined && before.status.nlink > 1 ? [otherNames(before.status.nlink - 1)] : []),
        ...(before !== undefined && hasCrlf(before.content.toString()) && !hasCrlf(content) && content.includes('\n')
          ? ['Its line breaks were CRLF, and are LF now.']
          : []),
      ];
      return {
        content: [`${what} ${place.shown} (${lines} lines).`, ...notes].join(' '),
        details: { path, lines, created },
      };
    },
  });
}

/** Returns true for a content with a byte order mark. `read_file` does not show it, so a model does not know that it leaves it out. */
function hasMark(content: Buffer): boolean {
  return content.subarray(0, 3).toString() === byteOrderMark;
}

function withMark(content: string): string {
  return content.startsWith(byteOrderMark) ? content : byteOrderMark + content;
}

/** Returns the note about hard links. */
export function otherNames(count: number): string {
  return `The file has ${count === 1 ? 'another name (a hard link), which keeps' : `${count} other names (hard links), which keep`} the old content.`;
}
