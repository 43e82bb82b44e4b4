import { Boundary } from '@palimpsest/plugin-kit';
import type { BoundaryState } from '@palimpsest/plugin-kit';
import type { Engine } from './host.js';

/** The memory of the two boundaries of a conversation. */
export interface Failures {
  /** That around what is done here. */
  readonly own: BoundaryState;
  /** That around the history. */
  readonly session: BoundaryState;
}

/** The part that outlives the environment of the mod: Claude Code replaces one that does not answer for 10 s. */
interface Stored extends Failures {
  /** True while something is tried: found by a new environment, it was what the last one did not survive. */
  readonly isTrying: boolean;
}

const prefix = 'boundary:';
/** Sessions of which failures are kept. */
const mostKept = 40;

/** Returns what a boundary remembered, with the failure in which the environment was lost. Undefined if nothing failed. */
export async function readFailures($: Engine, key: string): Promise<Failures | undefined> {
  const stored = (await $.store.get(prefix + key)) as Stored | undefined;
  if (stored === undefined) return undefined;
  const { own, session, isTrying } = stored;
  if (!isTrying) return { own, session };
  const boundary = new Boundary(own);
  boundary.failed('it did not answer for 10 s');
  return { own: boundary.state, session };
}

/** Stores that something is tried, or how it went. What has never failed is not kept. */
export async function writeFailures($: Engine, key: string, state: Failures, isTrying: boolean): Promise<void> {
  if (!isTrying && state.own.failures + state.session.failures === 0) return $.store.delete(prefix + key);
  await $.store.set(prefix + key, { ...state, isTrying } satisfies Stored);
  if (isTrying) return;
  const kept = (await $.store.keys()).filter((one) => one.startsWith(prefix));
  for (const old of kept.slice(0, -mostKept)) await $.store.delete(old);
}

/** Stores that what was tried has failed, if it was left half way. */
export async function failed($: Engine, key: string): Promise<void> {
  const state = await readFailures($, key);
  if (state !== undefined) await writeFailures($, key, state, false);
}
