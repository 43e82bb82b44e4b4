import { ServiceUnavailableError } from '@palimpsest/llm-adapters';
import { describe, expect, inject, test } from 'vitest';
import { setUp, until } from '../test-support/many.js';

const down = () => new ServiceUnavailableError('Overloaded.', { provider: 'scripted', retryAfterMs: 1 });

describe.skipIf(inject('postgresUrl') === undefined)('a provider that is down', () => {
  test('fails no run for good: its requests wait, one at a time tries it, and all are served when it is back', async () => {
    let [isDown, underWay, mostAtOnce, asked] = [true, 0, 0, 0];
    const { ends, runner, ask } = setUp(
      async () => {
        asked++;
        mostAtOnce = Math.max(mostAtOnce, ++underWay);
        await new Promise((resolve) => setTimeout(resolve, 5));
        underWay--;
        return isDown ? down() : 'Done.';
      },
      { maxConcurrentRuns: 4, providerOf: () => 'scripted', retryMs: 40 },
    );
    const worker = runner();
    const ids = Array.from({ length: 12 }, (_, index) => `${index}`);
    await ask(worker, ids[0] ?? '');
    await worker.start();
    await until(() => ends.length > 0);
    expect(ends[0]).toMatchObject({ type: 'failed', retryInMs: 40 });
    asked = mostAtOnce = 0;
    for (const id of ids.slice(1)) await ask(worker, id);
    await until(() => asked >= 3);
    expect(mostAtOnce).toBe(1);
    // Visible as waiting: each of them but the one that may be trying.
    const { waiting, delayed, running } = await worker.counts();
    expect(waiting + delayed + running).toBe(ids.length);
    expect(await worker.deadLetters()).toEqual([]);
    isDown = false;
    await until(() => ends.filter(({ type }) => type === 'ended').length === ids.length);
    expect((await worker.status()).queued).toBe(0);
  });

  test('for longer than maxRetryAgeMs is a dead letter, which the next request takes away', async () => {
    let isDown = true;
    const { ends, runner, ask } = setUp(() => (isDown ? down() : 'Done.'), { maxRetryAgeMs: 0 });
    const worker = runner();
    await worker.start();
    await ask(worker, 'a');
    await until(async () => (await worker.deadLetters()).length === 1);
    expect(ends).toMatchObject([{ type: 'failed' }]);
    expect(ends[0]).not.toHaveProperty('retryInMs');
    expect(await worker.deadLetters()).toMatchObject([{ conversationId: 'a', reason: 'provider' }]);
    isDown = false;
    await worker.enqueue('a');
    await until(() => ends.length === 2);
    expect(ends[1]).toMatchObject({ type: 'ended', outcome: { answer: 'Done.' } });
    await until(async () => (await worker.deadLetters()).length === 0);
  });
});
