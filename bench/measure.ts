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

/** The wall-clock time of a run. Unit: milliseconds. */
export const wallClock = (): number => performance.now();

/** The CPU time of all threads of this process. It varies less on a busy machine. Unit: milliseconds. */
export function cpuClock(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * The time that work of this thread takes: the lesser of the CPU time and the time that has passed. What waits for other programs takes
 * no CPU, and compilers and collectors in other threads take no time of this one. On a quiet machine it is what a user waits for.
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
      globalThis.gc?.();
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

/** Prints timings under a title, each with its time per item. */
export function printTimings(title: string, items: number, timings: readonly Timing[]): void {
  console.log(`\n${title}`);
  for (const { name, median: time, ratio } of timings) {
    const perItem = ((time * 1e6) / items).toFixed(0).padStart(7);
    console.log(`  ${ratio.toFixed(2).padStart(6)}×  ${time.toFixed(1).padStart(9)} ms  ${perItem} ns/item  ${name}`);
  }
}

/** The middle one of the values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** The memory of the live objects. Needs `--expose-gc`. Unit: bytes. */
export async function heldBytes(): Promise<number> {
  // The second collection frees the objects that finalisers released.
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}
