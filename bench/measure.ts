/** Warm-up time, because an engine compiles code that runs often. Unit: milliseconds per subject. */
const warmUpMs = 300;

/** A function to time. `run` may return a value, so that the engine does not optimise the work away. */
export interface Subject {
  readonly name: string;
  run(): unknown;
}

/** The median time of a subject and its ratio to the floor. */
export interface Timing {
  readonly name: string;
  /** Unit: milliseconds. */
  readonly median: number;
  readonly ratio: number;
}

/** Returns the wall-clock time of a run. Unit: milliseconds. */
export const wallClock = (): number => performance.now();

/** Returns the CPU time of all threads of this process. It varies less on a busy machine. Unit: milliseconds. */
export function cpuClock(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Starts a watch of the time that work of this thread takes: the lesser of the CPU time and the time that has passed. What waits
 * for other programs takes no CPU, and compilers and collectors in other threads take no time of this one. On a quiet machine it
 * is what a user waits for.
 *
 * @returns what gives the time since the call. Unit: milliseconds.
 */
export function stopwatch(): () => number {
  const [start, cpu] = [wallClock(), cpuClock()];
  return () => {
    const used = cpuClock() - cpu;
    return Math.min(wallClock() - start, used);
  };
}

/** Returns the longest time for which a run lets nothing else run. Unit: milliseconds. */
export async function longestPause(run: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let sinceTurn = stopwatch();
  const turn = (): void => {
    longest = Math.max(longest, sinceTurn());
    sinceTurn = stopwatch();
  };
  let isOver = false;
  const next = (): void => {
    turn();
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  await run();
  isOver = true;
  turn();
  return longest;
}

/** Returns the CPU time of one run. Unit: milliseconds. */
export async function cpuOf(run: () => unknown): Promise<number> {
  const start = cpuClock();
  await run();
  return cpuClock() - start;
}

/**
 * Times the floor and the subjects in turn, `rounds` times after a warm-up, so that other load on the machine affects all of
 * them equally. With `--expose-gc`, garbage is collected between runs. The first result of each subject stays alive, because
 * an engine discards compiled code for a kind of object when no such object is left.
 */
export async function measure(
  floor: Subject,
  subjects: readonly Subject[],
  rounds: number,
  clock: () => number = wallClock,
): Promise<readonly Timing[]> {
  const all = [floor, ...subjects];
  const times = all.map((): number[] => []);
  const alive: unknown[] = [];
  for (const subject of all) {
    const start = performance.now();
    alive.push(await subject.run());
    while (performance.now() - start < warmUpMs) await subject.run();
  }
  for (let round = 0; round < rounds; round++) {
    for (const [index, subject] of all.entries()) {
      collect();
      const start = clock();
      await subject.run();
      times[index]?.push(clock() - start);
    }
  }
  const medians = times.map(median);
  const floorTime = medians[0] ?? NaN;
  if (alive.length < all.length) throw new Error('every subject ran');
  return all.map(({ name }, index) => ({
    name,
    median: medians[index] ?? NaN,
    ratio: (medians[index] ?? NaN) / floorTime,
  }));
}

/** Returns the middle one of the values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Returns the memory of the live objects. Needs `--expose-gc`. Unit: bytes. */
export async function heldBytes(): Promise<number> {
  // A collection frees what finalisers and weak maps released in the one before.
  let held = Infinity;
  for (;;) {
    collect();
    await new Promise(setImmediate);
    const now = process.memoryUsage().heapUsed;
    if (now > held * 0.999) return now;
    held = now;
  }
}

/** Returns the time of `JSON.stringify` of a value, the least of three. Unit: milliseconds of CPU. */
export async function stringifyTime(value: unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) times.push(await cpuOf(() => JSON.stringify(value)));
  return Math.min(...times);
}

/** A line of the table of what has a bound. */
export interface Row {
  readonly what: string;
  readonly figure: number;
  /** @defaultValue a ratio */
  readonly unit?: 'ms';
  /** The bound that the figure should not exceed, and the aim. @defaultValue none */
  readonly limits?: Limits;
}

export type Limits = readonly [bound: number, aim?: number];

/** Collects garbage, so that earlier garbage is not counted. Does nothing without `--expose-gc`. */
export const collect = (): void => globalThis.gc?.();

const kept: unknown[] = [];

/**
 * Keeps the first result of a measurement alive. An engine discards compiled code for kinds of objects of which none is left, and a
 * process that condenses always has some.
 */
export function keepFirst(round: number, ...results: readonly unknown[]): void {
  if (round === 0) kept.push(results);
}

/** Returns timings as rows without bounds. The floor is named in the title. */
export function rowsOf(title: string, [, ...timings]: readonly Timing[]): readonly Row[] {
  return timings.map(({ name, ratio }) => ({ what: `${title}: ${name}`, figure: ratio }));
}
