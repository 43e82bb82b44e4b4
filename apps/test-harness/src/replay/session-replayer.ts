import type { Event } from '@palimpsest/events';
import { controlsOf } from '../measure/controls.js';
import type { Controls } from '../measure/controls.js';
import { costOfDrops, rentRule } from '../measure/drops.js';
import { eventTokens } from '../measure/event-tokens.js';
import { evidenceOf } from '../measure/evidence/evidence.js';
import type { Prices } from '../measure/money.js';
import { costUncondensed, leastCost, optimumTarget, sizesByCall } from '../measure/optimum.js';
import { recordedCache } from '../measure/recorded-cache.js';
import type { RecordedCache } from '../measure/recorded-cache.js';
import { recordedSession } from '../measure/recorded-session.js';
import type { Policy } from './policy.js';
import { headOf, replaySession } from './replay-session.js';
import type { SessionReplay } from './replay-session.js';
import type { Summariser } from './summariser.js';
import { textCounter } from './token-counter.js';

/** The cost of a session with nothing condensed, at the optimum, and by the rule RENT, at some prices. */
export interface SessionOptimum {
  readonly prices: string;
  readonly uncondensed: number;
  /** Of dropping to 15,000 tokens at the best calls, which knows the future. */
  readonly least: number;
  /** Of dropping to 15,000 tokens when the rent is due, which does not. */
  readonly rent: number;
  /** What the recorded agent wrote, as output. */
  readonly agentOutput: number;
}

/** The measures of a session that do not depend on the condenser. */
export interface SessionMeasures {
  readonly controls: Controls;
  readonly optima: readonly SessionOptimum[];
  /** What the recorded agent itself wrote: words, thinking and calls. It is in no bill. Unit: tokens. */
  readonly agentOutputTokens: number;
  /** What the recorded provider's prompt cache read. @defaultValue none: the log has no usage of two answers */
  readonly recordedCache?: RecordedCache;
}

/** Options of {@link sessionReplayer}. */
export interface ReplaySettings {
  readonly prices: readonly Prices[];
  /** The window that condensers are told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number | undefined;
  /** The model that condensers ask. @defaultValue a stand-in */
  readonly summariser?: (() => Summariser) | undefined;
  /** A condenser that takes longer is asked no more in this session. Unit: milliseconds. @defaultValue 60,000 */
  readonly timeoutMs?: number;
}

/** Replays one session. What several replays need is computed once. */
export interface SessionReplayer {
  measures(): SessionMeasures;
  replay(policy: Policy, onModelCall?: (done: number, of: number) => void): Promise<SessionReplay>;
}

/** A {@link SessionReplayer} for the events of a session. */
export function sessionReplayer(events: readonly Event[], settings: ReplaySettings): SessionReplayer {
  const session = recordedSession(events);
  const count = textCounter();
  const soundAdditions = new Set<string>();
  const cache = recordedCache(events);
  const evidence = evidenceOf(session);
  const tokens = eventTokens(session, count);
  const head = headOf(session);
  const sizes = sizesByCall(session, tokens, head);
  const written = (_: number, index: number): boolean => ['call', 'agent'].includes(session.kinds[index] ?? '');
  const agentOutputTokens = tokens.filter(written).reduce((sum, each) => sum + each, 0);
  return {
    measures: () => ({
      controls: controlsOf(session, evidence, tokens, head),
      optima: settings.prices.map((row) => ({
        prices: row.name,
        uncondensed: costUncondensed(sizes, row),
        least: leastCost(sizes, optimumTarget, row),
        rent: costOfDrops(sizes, optimumTarget, row, rentRule(row)),
        agentOutput: agentOutputTokens * row.output,
      })),
      agentOutputTokens,
      ...(cache === undefined ? {} : { recordedCache: cache }),
    }),
    replay: (policy, onModelCall) =>
      replaySession(policy, { ...settings, session, evidence, count, sizes, soundAdditions, onModelCall }),
  };
}
