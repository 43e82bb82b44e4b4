import { writeFile } from 'node:fs/promises';
import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import type { Workspace } from './workspace.js';
import { linesOf, numbered, readTextFile } from './text-file.js';

const contextLines = 3;

const input = z.object({
  path: z.string().min(1).describe('The file, relative to the root of the workspace.'),
  old_text: z
    .string()
    .min(1)
    .describe('The exact text to replace. It must stand in the file once, whitespace included.'),
  new_text: z.string().describe('What stands in its place.'),
});

/** The tool `edit_file`. */
export function editFileTool(workspace: Workspace): Tool<z.infer<typeof input>> {
  return defineTool({
    name: 'edit_file',
    description: 'Replace a piece of a text file. The old text must be exact and stand in the file exactly once.',
    input,
    execute: async ({ path, old_text, new_text }) => {
      if (old_text === new_text) throw new Error('old_text and new_text are the same: nothing would change.');
      const text = await readTextFile(workspace, path);
      const places = placesOf(text, old_text);
      const [place] = places;
      if (place === undefined) throw new Error(whyNotFound(text, path, old_text));
      if (places.length > 1) {
        const lines = places.map((offset) => lineAt(text, offset)).join(', ');
        throw new Error(
          `old_text stands in '${path}' ${places.length} times, at lines ${lines}. Add lines around it until it is the only one.`,
        );
      }
      const edited = text.slice(0, place) + new_text + text.slice(place + old_text.length);
      await writeFile(await workspace.resolve(path), edited);
      const firstLine = lineAt(edited, place);
      const from = Math.max(1, firstLine - contextLines);
      const to = lineAt(edited, place + new_text.length) + contextLines;
      return {
        content: `Edited ${path}. It now reads:\n${numbered(linesOf(edited).slice(from - 1, to), from)}`,
        details: { path, line: firstLine, removedCharacters: old_text.length, addedCharacters: new_text.length },
      };
    },
  });
}

function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** The usual mistakes are different white space, and text from before a change. */
function whyNotFound(text: string, path: string, wanted: string): string {
  const squeeze = (part: string) => part.replace(/\s+/g, ' ').trim();
  const wantedLines = linesOf(wanted).length;
  const lines = linesOf(text);
  for (let index = 0; index + wantedLines <= lines.length; index++) {
    if (squeeze(lines.slice(index, index + wantedLines).join('\n')) !== squeeze(wanted)) continue;
    const place = wantedLines === 1 ? `line ${index + 1}` : `lines ${index + 1} to ${index + wantedLines}`;
    return `old_text is not in '${path}', but ${place} differ from it in whitespace only. Copy them exactly.`;
  }
  const firstLine = squeeze(linesOf(wanted).find((line) => line.trim() !== '') ?? '');
  const similar = lines.findIndex((line) => firstLine !== '' && squeeze(line) === firstLine);
  const hint = similar === -1 ? '' : ` Its first line stands at line ${similar + 1}, but what follows is different.`;
  return `old_text is not in '${path}'.${hint} Read the file again before you edit it.`;
}
