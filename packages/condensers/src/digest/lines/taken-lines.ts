import { isToolResult } from '@palimpsest/events';
import type { ActionEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { isFailedStatus, readResult } from '../../authoring/calls/result.js';
import { pathOfCall } from './call-title.js';
import { editsOf, isSameFile } from './edits.js';
import type { FileEdit, LinePart } from './edits.js';
import type { LoggedEvent } from './log-of-view.js';
import { keysOf, withoutPlace } from './text-lines.js';

/** The edits of a log that succeeded, and which lines each took from its file. */
export class Edits {
  readonly #taken = new Map<string, { readonly place: number; readonly path: string }[]>();
  readonly #files = new Files();
  readonly #of = new Map<ActionEvent, readonly FileEdit[]>();

  constructor(view: View, events: readonly LoggedEvent[]) {
    events.forEach(({ event }, place) => {
      if (isToolResult(event)) {
        const call = view.callOf(event.id);
        const path = call && pathOfCall(call);
        if (path !== undefined) this.#files.add(path, keysOf(event));
      }
      if (event.type !== 'action') return;
      const edits = editsOf(event);
      const result = edits.length === 0 ? undefined : view.resultOf(event.id);
      if (result === undefined || isFailedStatus(readResult(result, { isCommand: false }).status)) return;
      this.#of.set(event, edits);
      for (const edit of edits) this.#add(edit, place);
    });
  }

  #add({ path, taken, put, parts, isWhole }: FileEdit, place: number): void {
    const keys = new Set(put.map((line) => line.trim()));
    const gone = isWhole ? this.#files.replace(path, keys) : [...taken, ...this.#files.holding(path, parts, keys)];
    if (!isWhole) this.#files.add(path, keys);
    for (const key of gone) {
      const places = this.#taken.get(key);
      if (places === undefined) this.#taken.set(key, [{ place, path }]);
      else places.push({ place, path });
    }
  }

  /** The edits of a call; none if it failed, or has no result yet. */
  of(action: ActionEvent): readonly FileEdit[] {
    return this.#of.get(action) ?? [];
  }

  /**
   * Returns true if an edit after a place has taken a line from a file. Where the file is not known, as in the output of a command, an edit
   * of any file counts.
   */
  hasTaken(key: string, place: number, path: string | undefined): boolean {
    if (this.#taken.size === 0) return false;
    const isTaken = (line: string): boolean =>
      this.#taken
        .get(line)
        ?.some((edit) => edit.place > place && (path === undefined || isSameFile(edit.path, path))) === true;
    return isTaken(key) || isTaken(withoutPlace(key));
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The lines that are known to have stood in a file: those of each text of it. */
interface KnownFile {
  readonly path: string;
  texts: ReadonlySet<string>[];
}

/** What is known of each file. */
class Files {
  readonly #byName = new Map<string, KnownFile[]>();

  #file(path: string): KnownFile {
    const name = nameOf(path);
    const named = this.#byName.get(name) ?? [];
    const known = named.find((file) => isSameFile(file.path, path));
    if (known !== undefined) return known;
    const file = { path, texts: [] };
    this.#byName.set(name, [...named, file]);
    return file;
  }

  add(path: string, keys: ReadonlySet<string>): void {
    this.#file(path).texts.push(keys);
  }

  /** Returns the known lines of which a replacement took a part, unless the part is a known line itself. */
  holding(path: string, parts: readonly LinePart[], stays: ReadonlySet<string>): ReadonlySet<string> {
    const { texts } = this.#file(path);
    const inLines = parts.filter(({ text }) => !texts.some((keys) => keys.has(text)));
    return linesIn(
      inLines.length === 0 ? [] : texts,
      (key) => !stays.has(key) && inLines.some((part) => isPartOf(key, part)),
    );
  }

  /** Returns the known lines that a new content does not have. */
  replace(path: string, keys: ReadonlySet<string>): ReadonlySet<string> {
    const file = this.#file(path);
    const gone = linesIn(file.texts, (key) => !keys.has(key));
    file.texts = [keys];
    return gone;
  }
}

function linesIn(texts: readonly ReadonlySet<string>[], isMeant: (key: string) => boolean): ReadonlySet<string> {
  const found = new Set<string>();
  for (const keys of texts) for (const key of keys) if (isMeant(key)) found.add(key);
  return found;
}

function isPartOf(key: string, { text, at }: LinePart): boolean {
  if (at === 'end') return key.endsWith(text);
  return at === 'start' ? key.startsWith(text) : key.includes(text);
}
