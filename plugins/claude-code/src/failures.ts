import type { BoundaryState } from '@palimpsest/plugin-kit';
import type { Engine } from './host.js';

/** What outlives the environment of the mod: Claude Code replaces one that does not answer for 10 s. */
interface Stored extends BoundaryState {
  /** True while something is tried: found by a new environment, it was what the last one did not survive. */
  readonly isTrying: boolean;
}

const prefix = 'boundary:';
const pauseSteps = 20;
/** Sessions of which failures are kept. */
const mostKept = 40;

/** Returns what a boundary remembered, with the failure in which the environment was lost. Undefined if nothing failed. */
export async function readFailures($: Engine, key: string): Promise<BoundaryState | undefined> {
  const stored = (await $.store.get(prefix + key)) as Stored | undefined;
  if (stored === undefined) return undefined;
  const { failures, stepsLeft, problem, isTrying } = stored;
  if (!isTrying) return { failures, stepsLeft, problem };
  return { failures: failures + 1, stepsLeft: pauseSteps, problem: 'it did not answer for 10 s' };
}

/** Stores that something is tried, or how it went. What has never failed is not kept. */
export async function writeFailures($: Engine, key: string, state: BoundaryState, isTrying: boolean): Promise<void> {
  if (!isTrying && state.failures === 0) return $.store.delete(prefix + key);
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
