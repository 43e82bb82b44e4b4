import type { Bill } from '../measure/bill.js';
import type { Controls } from '../measure/controls.js';
import type { Loop } from '../measure/loop.js';
import type { Memory, Share } from '../measure/memory.js';
import type { Prices, TokenUse } from '../measure/money.js';
import type { RecordedCache } from '../measure/recorded-cache.js';
import type { RefusedLists } from '../measure/refusals.js';
import type { Requests } from '../measure/requests.js';
import type { UserWords } from '../measure/user-words.js';
import type { PolicySource } from './named-policy.js';
import { digestOf, storedFile } from './store.js';

/**
 * The cost of a session with nothing condensed, at the optimum, and by the rule RENT, at some prices. Those that are insured are at no
 * call more than 2 % dearer than doing nothing.
 */
export interface SessionOptimum {
  readonly prices: string;
  readonly uncondensed: number;
  /** Of dropping to 15,000 tokens at the best calls, which knows the future. */
  readonly least: number;
  readonly insuredLeast: number;
  /** Of dropping to 15,000 tokens when the rent is due, which does not. */
  readonly rent: number;
  readonly insuredRent: number;
  /** What the recorded agent wrote, as output. */
  readonly agentOutput: number;
}

/** The measures of a session that do not depend on the condenser. */
export interface SessionMeasures {
  readonly controls: Controls;
  /** The controls by the quoted runs of words. @defaultValue none: not all was measured */
  readonly controlsByQuotes?: Controls;
  readonly optima: readonly SessionOptimum[];
  /** What the recorded agent itself wrote: words, thinking and calls. It is in no bill. Unit: tokens. */
  readonly agentOutputTokens: number;
  /** What the recorded provider's prompt cache read. @defaultValue none: the log has no usage of two answers */
  readonly recordedCache?: RecordedCache;
}

/** The result of one condenser on one recorded session. */
export interface SessionReplay extends Requests, RefusedLists {
  readonly condenser: string;
  /** Of the requests and, uncached, of the condenser's own model. Unit: tokens. */
  readonly use: TokenUse;
  /** Calls of the condenser's own model. */
  readonly summariserCalls: number;
  readonly bills: readonly Bill[];
  readonly memory: Omit<Memory, 'faults'>;
  /** Old sources that calls needed and did not see; those with a line among them that must be quoted exactly. */
  readonly faults: number;
  readonly anchorFaults: number;
  /** Results that were hidden before any request had shown them. */
  readonly neverShown: number;
  readonly userWords: UserWords;
  /** With what calls need read again before them: by evidence, and with `all` by every model of need. */
  readonly loops: readonly Loop[];
  /** @defaultValue none: not all was measured */
  readonly looks?: FurtherLooks;
}

/** What other looks than our evidence find that a replay remembers. */
export interface FurtherLooks {
  /** By the quoted runs of words. */
  readonly quotes: Omit<Memory, 'faults'>;
  readonly hardEdits: Share;
  /** The model calls with a result that looks like a re-read, though the recorded agent had lost nothing. */
  readonly falseRereads: Share;
  /** The same replay beside a large head, at the prices of r = 0.05. */
  readonly largeHead: {
    readonly cost: number;
    /** By our evidence, and by the quoted runs of words. */
    readonly recall: Share;
    readonly quoted: Share;
  };
}

/** The settings that all sessions of a replay share, as data. */
export interface TaskSettings {
  readonly prices: readonly Prices[];
  /** The window that condensers are told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number | undefined;
  /** A model as `provider/name`. @defaultValue the stand-in */
  readonly summariser?: string | undefined;
  /** True if all is measured: further looks, and the loop by every model of need. @defaultValue false */
  readonly all?: boolean | undefined;
}

/** A policy as data. */
export interface TaskPolicy {
  readonly name: string;
  readonly source: PolicySource;
  /** Of all that its results depend on. @defaultValue none: its results are not stored */
  readonly digest?: string | undefined;
}

/** One session to replay, as data that can be sent to another thread. */
export interface SessionTask {
  /** The events of the session. JSON. */
  readonly events: string;
  readonly settings: TaskSettings;
  readonly policies: readonly TaskPolicy[];
  /** The place where results are stored, and the digest of the code that makes them. @defaultValue nowhere */
  readonly store?: { readonly folder: string; readonly code: string } | undefined;
  /** True if the timeline is wanted. It is not stored, so every policy is replayed for it. */
  readonly withTimeline: boolean;
}

/** The result of a {@link SessionTask}. */
export interface SessionResults {
  readonly measures: SessionMeasures;
  /** In the order of the policies. */
  readonly replays: readonly SessionReplay[];
  readonly wasStored: boolean;
  /** The session call by call. JSON. @defaultValue none: it was not wanted, or the results were stored */
  readonly timeline?: string;
}

/** A result of a task that is stored: its measures, or the replay of the policy of this index. */
type Stored<What> = What extends 'measures' ? SessionMeasures : SessionReplay;

/** The stored results of one session. Several processes may use their folder at the same time. */
export interface StoredResults {
  /** Resolves to undefined if there is none, or if it cannot be read. */
  read<What extends 'measures' | number>(what: What): Promise<Stored<What> | undefined>;
  /** Stores a result. One that cannot be stored is computed again next time, and that is no error. */
  write<What extends 'measures' | number>(what: What, result: Stored<What>): Promise<void>;
}

/** Returns the stored results of a task. Each stands under the digest of all that it depends on. */
export function storedResults({ events, settings, policies, store }: SessionTask): StoredResults {
  const shared = digestOf(JSON.stringify([store?.code, digestOf(events), settings]));
  const fileOf = <What extends 'measures' | number>(what: What) =>
    storedFile<Stored<What>>(store?.folder, [shared, typeof what === 'number' ? policies[what]?.digest : what]);
  return { read: (what) => fileOf(what).read(), write: (what, result) => fileOf(what).write(result) };
}

/** Returns the results of a task if all of them are stored, so that no thread needs to start for it. */
export async function resultsIfStored(task: SessionTask): Promise<SessionResults | undefined> {
  const stored = storedResults(task);
  const measures = await stored.read('measures');
  if (measures === undefined) return undefined;
  const replays: SessionReplay[] = [];
  for (const [index, { name }] of task.policies.entries()) {
    const replay = await stored.read(index);
    if (replay === undefined) return undefined;
    replays.push({ ...replay, condenser: name });
  }
  return { measures, replays, wasStored: true };
}
