import { expect, test } from 'vitest';
import { replayLines } from './replay-lines.mjs';

const row = (condenser: string, pooled: number, tokensSent: number, recall: number) => ({
  condenser,
  tokensSent,
  recall,
  savings: [
    { prices: 'r = 0.05', pooled: 0.5 },
    { prices: 'r = 0.1', pooled },
  ],
});

test('a row a condenser: what it saves at the usual price of a cached token, what it sends, what it still shows', () => {
  const lines = replayLines({
    rows: [
      row('none', 0, 649_139, 1),
      row('recentEvents maxSize=40', -0.944, 212_966, 0.623),
      row('priced', 0.29, 422_711, 1),
    ],
  });
  expect(lines.slice(1, 5)).toEqual([
    '                               saved of the bill   tokens sent   recall',
    'none                                         0 %       649,139    100 %',
    'recentEvents maxSize=40                    -94 %       212,966     62 %',
    'priced (the one of the demo)                29 %       422,711    100 %',
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});
