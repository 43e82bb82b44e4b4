import { expect, inject, test } from 'vitest';
import { setUp, until } from '../test-support/many.js';

test.skipIf(inject('postgresUrl') === undefined)(
  'tenants take turns over all workers: the many requests of one delay another one by a run a place',
  async () => {
    const { ends, opened, runner, ask } = setUp(() => 'Done.', {
      maxConcurrentRuns: 1,
      tenantOf: (id) => id.charAt(0),
    });
    const workers = [runner(), runner()];
    const [first] = workers;
    if (first === undefined) return;
    for (let index = 0; index < 40; index++) await ask(first, `a${index}`);
    // Asked for again and again, it waits once, and its tenant loses no turn by that.
    for (let times = 0; times < 20; times++) await ask(first, 'b');
    await ask(first, 'c');
    opened.length = 0;
    for (const worker of workers) await worker.start();
    await until(() => ends.length === 42);
    const served = opened.slice(0, 6).map((id) => id.charAt(0));
    // Two places: at most two of the first tenant's come before each of the others'.
    expect(served.indexOf('b')).toBeGreaterThanOrEqual(0);
    expect(served.indexOf('c')).toBeGreaterThanOrEqual(0);
    // One tenant at a time again, and then another one: neither is late for what it has had before.
    opened.length = ends.length = 0;
    for (const worker of workers) await worker.stop();
    for (const id of ['a50', 'a51', 'a52', 'a53', 'd0', 'd1']) await ask(first, id);
    opened.length = 0;
    await first.start();
    await until(() => ends.length === 6);
    const turns = opened.slice(0, 4).map((id) => id.charAt(0));
    expect(turns.sort()).toEqual(['a', 'a', 'd', 'd']);
  },
);
