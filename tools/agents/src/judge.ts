import type { Scenario } from './scenarios.js';
import type { Trial } from './trial.js';

/** Returns what is wrong with a run, in words; empty if nothing is. @param isCondensed - false for a run of the host alone */
export function problemsOf(trial: Trial, scenario: Scenario, isCondensed: boolean): readonly string[] {
  const { exchanges, looks, stepsDone, steps } = trial;
  const refused = exchanges.filter(({ status, refusal }) => status !== 200 || refusal !== '');
  const unexpected = refused.length - (scenario.refusals ?? 0);
  const condensations = looks.filter(({ isCondensation }) => isCondensation).length;
  const isSwitched = scenario.invocations.some(({ withoutPlugin }) => withoutPlugin === true);
  const rewrites = looks.filter(
    ({ isRewrite, isFirstAfterRestart }) => isRewrite && !(isSwitched && isFirstAfterRestart),
  );
  // Where lists grow as fast as they are condensed, their sizes say nothing; where a crash lost a receipt, receipts do not.
  const unexplained = Math.min(
    rewrites.filter(({ isCondensation }) => !isCondensation).length,
    rewrites.length - (trial.receipts?.condensations ?? 0),
  );
  const bare = isCondensed ? looks.filter(({ hasSetUp }) => !hasSetUp) : [];
  const isBehindGateway = isCondensed && scenario.way === 'gateway';
  const compacts = scenario.invocations.find(({ does }) => does === 'compact');
  const past = isBehindGateway ? exchanges.filter((each) => each.isThroughGateway !== true) : [];
  const keys = new Set(exchanges.map(({ credential }) => credential)).size;
  const marked = exchanges.filter(({ cacheMarks = 0 }) => cacheMarks > mostCacheMarks);
  const lost = [...new Set(looks.flatMap(({ lostPictures }) => lostPictures))];
  const failed = [...new Set(looks.flatMap(({ lostResults }) => lostResults))];
  const cold = isSwitched ? [] : coldStarts(trial, scenario);
  return [
    ...(unexpected > 0 ? [`${unexpected} refused: ${refused.at(-1)?.refusal ?? ''}`] : []),
    ...(stepsDone < steps ? [`ended after ${stepsDone} of ${steps} steps`] : []),
    ...trial.finished.flatMap(({ status }) => (status === undefined ? ['did not end by itself'] : [])),
    ...(isCondensed && condensations < (scenario.condensations ?? 0)
      ? [`${condensations} condensations, not ${scenario.condensations}`]
      : []),
    ...(scenario.fault !== undefined && condensations > 0 ? ['condensed by a condenser that fails'] : []),
    ...(unexplained > 0 ? [`${unexplained} rewrites without a condensation`] : []),
    ...(isBehindGateway && unexpected < 0 ? [`${-unexpected} refusals of the script did not come`] : []),
    ...(isBehindGateway && compacts === undefined && exchanges.some(({ asker }) => asker === 'summariser')
      ? ['the agent compacted by itself']
      : []),
    ...(past.length > 0 ? [`${past.length} requests past the gateway`] : []),
    ...(changesKey(scenario) && keys < 2 ? ['only one key'] : []),
    ...(marked.length > 0 ? [`${marked.length} requests with too many cache marks`] : []),
    ...(bare.length > 0 ? [`${bare.length} requests without the set-up`] : []),
    ...(lost.length > 0 ? [`images lost unsaid: ${lost.join(', ')}`] : []),
    ...(failed.length > 0 ? [`results lost: ${failed.join(', ')}`] : []),
    ...cold,
  ];
}

function changesKey({ invocations, needs }: Scenario): boolean {
  return needs === 'key helper' || invocations.some(({ hasOtherKey }) => hasOtherKey);
}

/** The most that a provider takes in a request. */
const mostCacheMarks = 4;

/**
 * The first request after a restart reads what the one before it wrote, unless a compaction came between, or another model or key, for which
 * the provider has another cache.
 */
function coldStarts({ looks }: Trial, { invocations }: Scenario): readonly string[] {
  if (invocations.some(({ does, ...other }) => does === 'compact' || other.hasOtherModel || other.hasOtherKey))
    return [];
  return looks.flatMap(({ isFirstAfterRestart, isCondensation, exchange }, index) => {
    const before = looks[index - 1]?.exchange;
    if (!isFirstAfterRestart || isCondensation || before === undefined) return [];
    // A provider without marks writes each request.
    const held = before.cacheMarks === 0 ? looks[index - 1]!.size : before.read + before.written;
    return exchange.read < 0.98 * held ? [`after a restart ${exchange.read} of ${held} tokens were read`] : [];
  });
}

/** Compares what two runs saved. Empty if it is the same. */
export function differencesIn(withPlugin: Trial, without: Trial): readonly string[] {
  const [one, other] = [withPlugin.saved ?? '', without.saved ?? ''].map((saved) => saved.split('\n'));
  const at = (one ?? []).findIndex((line, index) => line !== other?.[index]);
  if (at === -1 && one?.length === other?.length) return [];
  return [`the saved session differs from line ${at + 1} on: ${(one?.[at] ?? '').trim().slice(0, 120)}`];
}
