import { expect, it } from 'vitest';
import { condensing, receipt } from '../../test-support/receipt.js';
import { summaryOf } from './summary.js';

const grown = [
  receipt({ counted: [0, 20_000, 100], window: 1_000_000 }),
  receipt({ counted: [20_000, 10_000, 100], window: 1_000_000 }),
];
const condensed = receipt({
  counted: [5_000, 8_000, 50],
  ...condensing(19_000, 6_000),
  held: 32_000,
  sent: 13_000,
  window: 1_000_000,
});
const later = Array.from({ length: 20 }, (_, index) =>
  receipt({
    counted: [13_000 + index * 1_000, 1_000, 60],
    way: 'condensed',
    inForce: 1,
    held: 33_000 + index * 1_000,
    sent: 14_000 + index * 1_000,
    window: 1_000_000,
    rereads: index === 9 ? { results: 3, tokens: 900, outputTokens: 30, isAlone: false } : undefined,
  }),
);

it('says in its last line that no request arrived', () => {
  expect(summaryOf([])).toEqual(['No request arrived: the agent has sent to another place, or to none.']);
});

it('tells what was sent, what is saved, how large the list is, and how to leave', () => {
  expect(summaryOf([...grown, condensed, ...later])).toMatchInlineSnapshot(`
    [
      "23 requests in 1 conversation: 533k tokens sent, 475k of them read from the cache, 1.4k of output. Cost: $0.13.",
      "1 condensation, 3 hidden results read again. Without the gateway: $0.16. So far the gateway has saved $0.031 to $0.032 (20 %).",
      "The agent's own list has 52k tokens of a window of 1M; the last request sent 33k.",
      "To go on without the gateway, start the agent as usual.",
    ]
  `);
});

it('says where nothing is saved yet', () => {
  expect(summaryOf(grown)).toMatchInlineSnapshot(`
    [
      "2 requests in 1 conversation: 50k tokens sent, 20k of them read from the cache, 200 of output. Cost: $0.040.",
      "Nothing was condensed so far: nothing is saved, and nothing is lost.",
      "The agent's own list has 30k tokens of a window of 1M.",
      "To go on without the gateway, start the agent as usual.",
    ]
  `);
  expect(summaryOf([...grown, condensed])[1]).toMatchInlineSnapshot(
    `"1 condensation, 0 hidden results read again. Without the gateway: $0.046. So far the gateway has lost $0.005 (11 %)."`,
  );
});

it('gives no money where there is none', () => {
  const receipts = [...grown, condensed, ...later];
  expect(summaryOf(receipts.map((one) => ({ ...one, prices: undefined }))).slice(0, 3)).toMatchInlineSnapshot(`
    [
      "23 requests in 1 conversation: 533k tokens sent, 475k of them read from the cache, 1.4k of output.",
      "1 condensation, 3 hidden results read again. Without the gateway: 922k to 926k tokens. So far the gateway has saved 389k to 393k tokens (42 %).",
      "The price of the model is not known.",
    ]
  `);
  expect(summaryOf(receipts.map((one) => ({ ...one, isSubscription: true })))[2]).toMatchInlineSnapshot(
    `"A subscription pays: what is saved is no money."`,
  );
  const passed = grown.map((one) => ({ ...one, way: 'passed' as const, isSubscription: true, held: 0, sent: 0 }));
  expect(summaryOf(passed)).toMatchInlineSnapshot(`
    [
      "2 requests in 1 conversation: 50k tokens sent, 20k of them read from the cache, 200 of output.",
      "All of it passed unchanged: nothing was condensed.",
      "A subscription pays: what is saved is no money.",
      "The agent's own list has 30k tokens of a window of 1M.",
      "To go on without the gateway, start the agent as usual.",
    ]
  `);
});

it('names what went wrong, and what is not known', () => {
  const held = { ...later[0]!, isHeldBack: true, problem: 'the store cannot be read' };
  expect(summaryOf([...grown, receipt({ status: 529 }), receipt(), condensed, held])).toMatchInlineSnapshot(`
    [
      "6 requests (1 failed) in 1 conversation: 77k tokens sent, 38k of them read from the cache, 310 of output. Cost: $0.054.",
      "1 condensation, 0 hidden results read again. Without the gateway: $0.051. So far the gateway has lost $0.003 (6 %).",
      "1 answer came without usage, and stands in no figure.",
      "Condensation is held back: what came back has cost more than it may.",
      "1 request went on in spite of a problem: the store cannot be read",
      "The agent's own list has 33k tokens of a window of 1M; the last request sent 14k.",
      "To go on without the gateway, start the agent as usual.",
    ]
  `);
  expect(summaryOf([receipt({ inForce: 1, way: 'condensed' })])).toMatchInlineSnapshot(`
    [
      "1 request in 1 conversation: 0 tokens sent, 0 of them read from the cache, 0 of output.",
      "Nothing is known of the saving: the provider has counted nothing.",
      "1 answer came without usage, and stands in no figure.",
      "To go on without the gateway, start the agent as usual.",
    ]
  `);
});

it('tells the way out of a list that the agent alone could not send', () => {
  const small = [...grown, condensed].map((one) => ({ ...one, window: 38_000 }));
  expect(summaryOf(small).slice(-3)).toMatchInlineSnapshot(`
    [
      "The agent alone would have compacted its list by now: nothing counts as saved from there on.",
      "The agent's own list has 32k tokens of a window of 38k; the last request sent 13k.",
      "The agent's own list is more than 80 % of the window. Resumed directly, such a session is refused: resume it through the gateway, and give /compact there first.",
    ]
  `);
});

it('says of a session that it was held out', () => {
  const holdOut = { isHeldOut: true, session: '0123456789ab' };
  expect(summaryOf([receipt({ way: 'passed', holdOut, counted: [0, 20_000, 100] })]).join('\n')).toContain(
    'This session was held out: it passed unchanged',
  );
});
