import type { Event } from '@palimpsest/events';
import type { Engine, SessionRow } from './host.js';
import type { OriginalsState } from './originals.js';

/** A conversation as it is stored. */
export interface StoredConversation {
  readonly originals: OriginalsState;
  /** The originals, as many as `originals.count` says. */
  readonly rows: readonly SessionRow[];
  readonly events: readonly Event[];
  /** Images and documents that went: no row holds them. */
  readonly lostMedia: readonly string[];
}

interface StateFile {
  readonly format: 1;
  readonly originals: OriginalsState;
  readonly events: readonly Event[];
  readonly lostMedia: readonly string[];
  /** The number of rows in each file of rows. */
  readonly parts: readonly number[];
}

/** A file may have 4 MiB. Unit: characters of JSON. */
const mostChars = 1_000_000;

/**
 * The folder of a conversation: beside what Claude Code itself keeps of the session, so it goes with the session. `$.store` would hold 4 MiB
 * for all sessions together, and one long session has more.
 */
export async function folderOf($: Engine, agentId: string | undefined): Promise<string | undefined> {
  const { transcriptPath } = await $.session.info();
  // A session that is not to be stored has no transcript.
  if (!transcriptPath.endsWith('.jsonl') || !(await $.fs.exists(transcriptPath))) return undefined;
  return `${transcriptPath.slice(0, -'.jsonl'.length)}/palimpsest/${agentId ?? 'main'}`;
}

/** Returns what is stored in a folder. Undefined if nothing is, or if it cannot be read. */
export async function loadConversation($: Engine, folder: string): Promise<StoredConversation | undefined> {
  const state = await readJson($, `${folder}/state.json`);
  if (!isState(state)) return undefined;
  const rows: SessionRow[] = [];
  for (const part of state.parts.keys()) {
    const read = await readJson($, `${folder}/rows-${part}.json`);
    if (!Array.isArray(read) || read.length < (state.parts[part] ?? 0)) return undefined;
    rows.push(...(read as readonly SessionRow[]).slice(0, state.parts[part]));
  }
  if (rows.length !== state.originals.count) return undefined;
  const { originals, events, lostMedia } = state;
  return { originals, rows, events, lostMedia };
}

/** Stores a conversation. Rows that are stored already are not written again; the file of the state makes them count. */
export async function saveConversation(
  $: Engine,
  folder: string,
  { originals, rows, events, lostMedia }: StoredConversation,
): Promise<void> {
  const state = await readJson($, `${folder}/state.json`);
  const parts = isState(state) ? [...state.parts] : [];
  let stored = parts.reduce((sum, count) => sum + count, 0);
  if (stored > rows.length) {
    parts.length = 0;
    stored = 0;
  }
  while (stored < rows.length) {
    const count = countWithin(rows, stored);
    await $.fs.write(`${folder}/rows-${parts.length}.json`, JSON.stringify(rows.slice(stored, stored + count)));
    parts.push(count);
    stored += count;
  }
  const written: StateFile = { format: 1, originals, events, lostMedia, parts };
  await $.fs.write(`${folder}/state.json`, JSON.stringify(written));
}

function countWithin(rows: readonly SessionRow[], from: number): number {
  let chars = 0;
  let count = 0;
  for (const row of rows.slice(from)) {
    chars += JSON.stringify(row).length;
    if (chars > mostChars && count > 0) break;
    count++;
  }
  return count;
}

async function readJson($: Engine, path: string): Promise<unknown> {
  try {
    return (await $.fs.exists(path)) ? (JSON.parse(await $.fs.read(path)) as unknown) : undefined;
  } catch {
    return undefined;
  }
}

function isState(value: unknown): value is StateFile {
  const state = value as Partial<StateFile> | undefined;
  return (
    typeof value === 'object' &&
    value !== null &&
    state?.format === 1 &&
    Array.isArray(state.parts) &&
    Array.isArray(state.events)
  );
}
