import { expect, it } from 'vitest';
import type { Exchange } from './exchange.js';
import { looksOf } from './figures.js';
import { problemsOf } from './judge.js';
import { ruleMark, taskMark } from './place.js';
import type { Scenario } from './scenarios.js';
import type { Trial } from './trial.js';

const step = { acts: [] };
const scenario: Scenario = { name: 'one', invocations: [{ does: 'prompt', steps: [step, step] }] };

function request(words: readonly string[], fields: Partial<Exchange> = {}): Exchange {
  const messages = words.map((content) => ({ role: 'user', content }));
  return {
    ...{ invocation: 0, asker: 'main', body: { system: ruleMark, messages }, status: 200, refusal: '' },
    ...{ read: words.length * 1_000, written: 0, uncached: 0, output: 0, ...fields },
  };
}

function trialOf(exchanges: readonly Exchange[], fields: Partial<Trial> = {}): Trial {
  return {
    ...{ exchanges, looks: looksOf(exchanges), bill: 0, usd: 0, stepsDone: 2, steps: 2, looksAgain: 0, lost: 0 },
    ...{ finished: [], saved: undefined, ...fields },
  };
}

const good = [request([taskMark]), request([taskMark, 'a', 'b']), request([taskMark, 'c'])];

it('has nothing against a run that condenses and ends', () => {
  expect(problemsOf(trialOf(good), { ...scenario, condensations: 1 }, true)).toEqual([]);
});

it.each<[string, Trial, Partial<Scenario>, RegExp]>([
  ['a refusal', trialOf([request([taskMark]), request(['x'], { status: 400, refusal: 'no' })]), {}, /1 refused: no/],
  ['steps that are missing', trialOf(good, { stepsDone: 1 }), {}, /ended after 1 of 2 steps/],
  [
    'an agent that hangs',
    trialOf(good, { finished: [{ output: '', errors: '', status: undefined }] }),
    {},
    /by itself/,
  ],
  ['too few condensations', trialOf(good), { condensations: 2 }, /1 condensations, not 2/],
  ['a rewrite for nothing', trialOf([request([taskMark, 'a']), request([taskMark, 'b'])]), {}, /1 rewrites without/],
  ['a request without the first prompt', trialOf([request(['a'])]), {}, /1 requests without the set-up/],
  [
    'a start that the cache misses',
    trialOf([request([taskMark], { written: 5_000 }), request([taskMark, 'a'], { invocation: 1 })]),
    {},
    /2000 of 6000 tokens were read/,
  ],
])('finds %s', (_what, trial, fields, words) => {
  expect(problemsOf(trial, { ...scenario, ...fields }, true)).toEqual([expect.stringMatching(words)]);
});

it.each<[string, Partial<Exchange>, Partial<Scenario>, RegExp]>([
  ['a request past it', { isThroughGateway: false }, {}, /1 requests past the gateway/],
  ['too many cache marks', { cacheMarks: 5 }, {}, /1 requests with too many cache marks/],
  ['a refusal that did not come', {}, { refusals: 1 }, /1 refusals of the script did not come/],
  ['a compaction of the agent', { asker: 'summariser' }, {}, /compacted by itself/],
  ['one key alone', { credential: 'a' }, { needs: 'key helper' }, /only one key/],
])('finds behind the gateway %s', (_what, fields, scenarioFields, words) => {
  const [first, ...rest] = good.map((each) => ({ ...each, isThroughGateway: true, credential: 'a' }));
  const trial = trialOf([{ ...first!, ...fields }, ...rest]);
  expect(problemsOf(trial, { ...scenario, way: 'gateway', ...scenarioFields }, true)).toEqual([
    expect.stringMatching(words),
  ]);
});

it('expects the refusals of the script, and no set-up where the host compacts by itself', () => {
  const refused = trialOf([request([taskMark]), request(['x'], { status: 529, refusal: 'Overloaded' })]);
  expect(problemsOf(refused, { ...scenario, refusals: 1 }, true)).toEqual([]);
  expect(problemsOf(trialOf([request(['a'])]), scenario, false)).toEqual([]);
});
