import { applyEdit, editInput } from './edit-file.js';
import { codeOf } from '../workspace/problems.js';
import { textOf, wholeContent } from '../workspace/text.js';
import { atPlace, openAt } from '../workspace/open-file.js';
import type { Workspace } from '../workspace/workspace.js';
import { writeInput } from './write-file.js';

/** A call of a tool, with its parsed input. */
interface ChangingCall {
  readonly toolName: string;
  readonly input: unknown;
}

/** A file before and after a call. */
export interface FileChangePreview {
  /** As the call names it. */
  readonly path: string;
  /** Undefined: there is no file. */
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * Returns the text that a call of `edit_file` or `write_file` makes of a file, given its text before. Undefined if the call is
 * of another tool, or fails. Nothing is read or written.
 *
 * @param before - undefined: there is no file
 */
export function textAfter({ toolName, input }: ChangingCall, before: string | undefined): string | undefined {
  if (toolName === 'write_file') return writeInput.safeParse(input).data?.content;
  const edit = toolName === 'edit_file' ? editInput.safeParse(input).data : undefined;
  if (edit === undefined || before === undefined) return undefined;
  const { path: shown, old_text: oldText, new_text: newText, replace_all: all } = edit;
  try {
    return applyEdit(before, { shown, oldText, newText: newText.toWellFormed(), all }).content;
  } catch {
    return undefined;
  }
}

/**
 * Reads what a call of `edit_file` or `write_file` would change, as the workspace is now: for somebody who is asked whether it may.
 * Undefined if the call would fail, is of another tool, or replaces what is no text.
 *
 * @param options - `maxBytes`: longer files are not read. Unit: bytes. @defaultValue 10 MB
 */
export async function previewChange(
  workspace: Workspace,
  call: ChangingCall,
  options: { readonly maxBytes?: number } = {},
): Promise<FileChangePreview | undefined> {
  const path = pathOf(call);
  if (path === undefined) return undefined;
  try {
    const before = await textAt(workspace, path, options.maxBytes);
    const after = textAfter(call, before);
    return after === undefined ? undefined : { path, before, after };
  } catch {
    // The call itself says what is wrong.
    return undefined;
  }
}

function pathOf({ toolName, input }: ChangingCall): string | undefined {
  const schema = toolName === 'write_file' ? writeInput : toolName === 'edit_file' ? editInput : undefined;
  return schema?.safeParse(input).data?.path;
}

/** Returns the text of a file; undefined if there is none. */
async function textAt(workspace: Workspace, path: string, maxBytes?: number): Promise<string | undefined> {
  try {
    return await atPlace(workspace, path, async (place) => {
      const file = await openAt(place);
      if (file === undefined) return undefined;
      try {
        return textOf(await wholeContent(file, place.shown, maxBytes), place.shown);
      } finally {
        await file.handle.close();
      }
    });
  } catch (error) {
    // Its folder is not there either.
    if (codeOf((error as Error).cause) === 'ENOENT') return undefined;
    throw error;
  }
}
