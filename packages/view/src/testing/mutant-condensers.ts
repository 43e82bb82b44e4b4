import { isToolResult } from '@palimpsest/events';
import type { Condensation, EventId } from '@palimpsest/events';
import { condensation } from '../policy/condensation.js';
import type { Condenser } from '../condenser.js';
import { NoCondensationAvailableError } from '../errors.js';
import { pinnedEventIds } from '../policy/pins.js';
import { protectedEventIds } from '../policy/protection.js';
import { redactedCopy } from '../fold/redacted-copy.js';
import { unitsOf } from '../policy/units.js';
import { View } from '../view-projection.js';
import { carelessCondensation, forgetMiddle, mustAct } from './sample-condensers.js';

/** A condenser that breaks a promise, and the rule that must catch it. */
export interface Mutant {
  readonly name: string;
  readonly caughtBy: string;
  readonly create: () => Condenser;
  readonly createHanging?: () => Condenser;
}

type Condense = Condenser['condense'];

const act = (view: View): Condensation | View => (mustAct(view) ? forgetMiddle(view, 'S') : view);

function mutant(name: string, caughtBy: string, condense: Condense, declared: Partial<Condenser> = {}): Mutant {
  return {
    name,
    caughtBy,
    create: () => ({ name, handlesCondensationRequests: true, ...declared, condense }),
  };
}

function stateful(name: string, caughtBy: string, make: () => Condense): Mutant {
  return { name, caughtBy, create: () => ({ name, handlesCondensationRequests: true, condense: make() }) };
}

const forget = (ids: readonly EventId[], rest: Partial<Condensation> = {}): Condensation =>
  carelessCondensation({ forgottenEventIds: ids, ...rest });

const unprotected = (view: View): readonly EventId[] => {
  const kept = protectedEventIds(view);
  return [...view.events].map(({ id }) => id).filter((id) => !kept.has(id));
};

/** Leaves the last unit with a result out of the view. */
function hidesNewest(view: View): View {
  const unit = unitsOf(view).findLast(({ start, end }) => view.events.slice(start, end).some(isToolResult));
  if (!mustAct(view) || unit === undefined) return view;
  const kept = protectedEventIds(view);
  const ids = view.events.slice(unit.start, unit.end).map(({ id }) => id);
  return view.without(new Set(ids.filter((id) => !kept.has(id))));
}

/** Returns true if the newest condensation of the log was empty. */
function isEmptied({ condensations }: View): boolean {
  return condensations.at(-1)?.forgottenEventIds.length === 0;
}

const acts = 'acts on the history made for it';
const whole = 'leaves calls, results and batches whole';
const sameDecision = 'decides the same for the same view, and keeps no state';
const typedError = 'throws nothing but NoCondensationAvailableError, and that only on a request';
const knownIds = 'forgets only what the view holds';
const aborted = 'stops when aborted';
const input = 'leaves the view that it was given as it was';
const hosts = 'returns what a host takes';
const oneOfTwo = 'returns a view or a condensation';
const newest = 'keeps the results that no response has followed, or summarises them';
const pins = 'respects a pin on what it would forget or mask';

/** One broken condenser for each way in which one can be broken. */
export const mutants: readonly Mutant[] = [
  mutant('does nothing', acts, (view) => view, { handlesCondensationRequests: false }),
  mutant('has no name', 'has a name', act, { name: '' }),
  mutant('ignores requests', 'answers requests, where it says that it does', (view) =>
    view.unhandledCondensationRequest ? view : act(view),
  ),
  mutant('returns nothing', oneOfTwo, () => undefined as never),
  mutant('returns a list of events', oneOfTwo, (view) => [...view.events] as never),
  mutant(
    'returns a view of another log',
    oneOfTwo,
    (view) => (mustAct(view) ? View.fromEvents([...view.events]) : view),
    {
      handlesCondensationRequests: false,
    },
  ),
  mutant(
    'forgets the first result only',
    whole,
    (view) => {
      const result = [...view.events].find((event) => isToolResult(event) && !view.leftOut.has(event.id));
      return mustAct(view) && result !== undefined ? forget([result.id]) : view;
    },
    { handlesCondensationRequests: false },
  ),
  mutant(
    'forgets half of a batch',
    whole,
    (view) => {
      const actions = [...view.events].filter((event) => event.type === 'action');
      const first = actions.find(({ llmResponseId }, index) => actions[index + 1]?.llmResponseId === llmResponseId);
      const result = [...view.events].find((event) => isToolResult(event) && event.toolCallId === first?.toolCall.id);
      return first !== undefined && result !== undefined ? forget([first.id, result.id]) : view;
    },
    { handlesCondensationRequests: false },
  ),
  mutant(
    'leaves half of a batch out of the view',
    whole,
    (view) => {
      const action = [...view.events].find((event) => event.type === 'action' && !view.leftOut.has(event.id));
      return mustAct(view) && action !== undefined ? view.without(new Set([action.id])) : view;
    },
    { handlesCondensationRequests: false },
  ),
  mutant('forgets a call that waits', whole, (view) => {
    const waiting = [...view.events].findLast((event) => event.type === 'action' && view.leftOut.has(event.id));
    return waiting === undefined ? act(view) : forget([waiting.id]);
  }),
  mutant('forgets all but the newest half, also what no response has followed', newest, (view) => {
    const { length } = view.events;
    return mustAct(view) ? condensation({ view, end: length - Math.floor(Math.min(40, length) / 2) }) : view;
  }),
  mutant('hides what no response has followed', newest, hidesNewest, { handlesCondensationRequests: false }),
  mutant('forgets the first user message', 'keeps protected events', (view) => {
    const first = [...view.events].find((event) => event.type === 'message' && event.source === 'user');
    return mustAct(view) && first !== undefined ? forget([first.id]) : act(view);
  }),
  mutant('forgets the system prompt', 'keeps protected events', (view) => {
    const system = [...view.events].findLast((event) => event.type === 'system-prompt');
    return mustAct(view) && system !== undefined ? forget([system.id]) : act(view);
  }),
  mutant(
    'leaves the latest user message out',
    'keeps protected events',
    (view) => {
      const latest = [...view.events].findLast((event) => event.type === 'message' && event.source === 'user');
      return latest === undefined ? view : view.without(new Set([latest.id]));
    },
    { handlesCondensationRequests: false },
  ),
  mutant(
    'forgets the system prompt, and says that it keeps less',
    'keeps protected events',
    (view) => {
      const system = [...view.events].findLast((event) => event.type === 'system-prompt');
      return mustAct(view) && system !== undefined ? forget([system.id]) : act(view);
    },
    { protects: false },
  ),
  mutant(
    "forgets the host's set-up, and says that it keeps less",
    'keeps protected events',
    (view) => {
      const [first] = view.events;
      const isSetUp = first?.type === 'message' && first.source === 'environment';
      return mustAct(view) && isSetUp ? forget([first.id]) : act(view);
    },
    { protects: false },
  ),
  mutant('forgets a task in progress', 'keeps protected events', (view) => {
    const users = [...view.events].filter((event) => event.type === 'message' && event.source === 'user');
    const finish = [...view.events].findLastIndex((event) => event.type === 'message' && event.role === 'assistant');
    const task = users.slice(1, -1).find(({ id }) => (view.indexOf(id) ?? 0) > finish);
    return mustAct(view) && task !== undefined ? forget([task.id]) : act(view);
  }),
  mutant(
    'forgets what is pinned, and says that it keeps less',
    'keeps protected events',
    (view) => {
      const [pinned] = pinnedEventIds(view);
      return mustAct(view) && pinned !== undefined ? forget([pinned]) : act(view);
    },
    { protects: false },
  ),
  mutant(
    'masks what is pinned',
    'keeps protected events',
    (view) => {
      const pinned = [...view.events].find((event) => isToolResult(event) && pinnedEventIds(view).has(event.id));
      const copy = pinned === undefined ? undefined : redactedCopy(pinned, { text: '' });
      return pinned === undefined || copy === undefined ? view : view.replace(new Map([[pinned.id, { event: copy }]]));
    },
    { handlesCondensationRequests: false },
  ),
  mutant('knows what is protected, and forgets what is pinned', pins, (view) => {
    if (!mustAct(view)) return view;
    const words = protectedEventIds(View.fromEvents([...view.events]));
    const ids = view.events.slice(4, view.cutPoints.atOrBefore(30)).map(({ id }) => id);
    return forget(
      ids.filter((id) => !words.has(id)),
      { summary: 'S', summaryOffset: 2 },
    );
  }),
  mutant(
    'hides the older half, with what is pinned in it',
    pins,
    (view) => {
      const words = protectedEventIds(View.fromEvents([...view.events]));
      const ids = view.events.slice(10, view.cutPoints.atOrBefore(40)).map(({ id }) => id);
      return view.events.length < 50 ? view : view.without(new Set(ids.filter((id) => !words.has(id))));
    },
    { handlesCondensationRequests: false, rewritesEveryStep: true },
  ),
  mutant('puts its summary into a batch', 'puts a summary between units', (view) => {
    const made = act(view);
    if (!('type' in made)) return made;
    const gone = new Set(made.forgottenEventIds);
    const after = View.fromEvents([...view.events].filter(({ id }) => !gone.has(id)));
    const inside = [...after.events].findLastIndex((event) => isToolResult(event) && !after.leftOut.has(event.id));
    return inside < 0 ? made : { ...made, summaryOffset: inside };
  }),
  mutant(
    'shows a sliding window, and does not say so',
    'says so where it rewrites',
    (view) => {
      const kept = protectedEventIds(view);
      const end = view.cutPoints.atOrBefore(view.events.length - 10) ?? 0;
      const older = view.events.slice(0, end).map(({ id }) => id);
      return view.without(new Set(older.filter((id) => !kept.has(id))));
    },
    { handlesCondensationRequests: false },
  ),
  mutant(
    'masks what is older than ten events in copies, and does not say so',
    'says so where it rewrites',
    (view) => {
      const kept = protectedEventIds(view);
      const older = view.events.slice(0, -10).filter((event) => isToolResult(event) && !kept.has(event.id));
      const copies = older.map((event) => [event.id, { event: redactedCopy(event, { text: '…' }) ?? event }] as const);
      return view.replace(new Map(copies));
    },
    { handlesCondensationRequests: false },
  ),
  mutant('needs somebody to report to', 'works for a host that takes no reports', (view, { report }) => {
    if (mustAct(view)) (report as NonNullable<typeof report>)({ outcome: 'acts', reason: 'it is long' });
    return act(view);
  }),
  mutant(
    'rewrites the words of the user',
    'keeps protected events',
    (view) => {
      const latest = [...view.events].findLast((event) => event.type === 'message' && event.source === 'user');
      if (latest?.type !== 'message') return view;
      const event = { ...latest, content: [{ type: 'text' as const, text: 'Go on.' }] };
      return view.replace(new Map([[latest.id, { event }]]));
    },
    { handlesCondensationRequests: false },
  ),
  mutant('condenses with what is no id', hosts, (view) => (mustAct(view) ? forget([7 as never]) : view)),
  mutant('names everything', hosts, (view) => (mustAct(view) ? forget([...view.events].map(({ id }) => id)) : view)),
  mutant(
    'makes a view by hand',
    hosts,
    (view) => {
      if (!mustAct(view)) return view;
      const handmade = { toMessages: () => [] };
      return Object.setPrototypeOf(handmade, view) as View;
    },
    { handlesCondensationRequests: false },
  ),
  mutant('grows', 'never grows the view', (view) => {
    const [id] = unprotected(view).filter((one) => view.leftOut.has(one) === false);
    const event = id === undefined ? undefined : view.original(id);
    return mustAct(view) && id !== undefined && event?.type === 'message'
      ? forget([id], { summary: 'S'.repeat(50_000), summaryOffset: 1 })
      : act(view);
  }),
  mutant('summarises its own summary for ever', 'settles', (view) => {
    const summary = [...view.events].find(({ type }) => type === 'condensation-summary');
    return summary === undefined ? act(view) : forget([summary.id], { summary: 'S', summaryOffset: 2 });
  }),
  mutant('condenses nothing for ever', 'settles', () => forget([])),
  mutant('condenses nothing but a summary for ever', 'settles', () => forget([], { summary: 'S', summaryOffset: 0 })),
  mutant('condenses nothing where it has to act', acts, (view) =>
    isEmptied(view) || !mustAct(view) ? view : forget([]),
  ),
  mutant(
    'cuts its own view again',
    'settles',
    (view) => {
      const [last] = unprotected(view).slice(-1);
      return last === undefined ? view : view.without(new Set([last]));
    },
    { handlesCondensationRequests: false },
  ),
  mutant('writes into events', input, (view) => {
    for (const event of view.events) if (!Object.isFrozen(event)) Object.assign(event, { seen: true });
    return act(view);
  }),
  mutant('empties the list of what is left out', input, (view) => {
    (view.leftOut as Map<EventId, string>).set('mine', 'seen');
    return act(view);
  }),
  stateful(
    'decides at random',
    sameDecision,
    () => (view) => (mustAct(view) ? forgetMiddle(view, `S${Math.random()}`) : view),
  ),
  stateful('acts once', sameDecision, () => {
    let isDone = false;
    return (view) => {
      if (isDone && !view.unhandledCondensationRequest) return view;
      isDone = true;
      return act(view);
    };
  }),
  stateful('numbers its summaries', sameDecision, () => {
    let count = 0;
    return (view) => (mustAct(view) ? forgetMiddle(view, `Summary ${++count}`) : view);
  }),
  mutant('names ids that are not there', knownIds, (view) =>
    mustAct(view) ? forget([...unprotected(view).slice(0, 0), 'no-such-event']) : view,
  ),
  mutant('names what is forgotten already', knownIds, (view) => {
    const [earlier] = view.condensations;
    return earlier === undefined || earlier.forgottenEventIds.length === 0
      ? act(view)
      : forget(earlier.forgottenEventIds);
  }),
  mutant('throws on long views', typedError, (view) => {
    if (mustAct(view)) throw new TypeError('too long');
    return view;
  }),
  mutant('throws the typed error unasked', typedError, (view) => {
    if (mustAct(view)) throw new NoCondensationAvailableError('I do not want to');
    return view;
  }),
  mutant(
    'throws on a request that it does not handle',
    typedError,
    (view) => {
      if (view.unhandledCondensationRequest) throw new NoCondensationAvailableError('I cannot');
      return act(view);
    },
    { handlesCondensationRequests: false },
  ),
  mutant('puts a date into its metadata', 'survives JSON', (view) => {
    const result = act(view);
    return 'type' in result ? { ...result, metadata: { at: new Date(0) } } : result;
  }),
  mutant('uses one id for all', 'replays exactly', (view) => {
    const result = act(view);
    return 'type' in result ? { ...result, id: view.events.at(0)?.id ?? 'x' } : result;
  }),
  mutant('knows every type', 'tolerates event types that it does not know', (view) => {
    for (const { type } of view.internalEvents) {
      if (type === 'acme/note' || !/^[a-z]+(-[a-z]+)*$/.test(type)) throw new Error(`what is ${type}?`);
    }
    return act(view);
  }),
  mutant('fails on newer types', 'tolerates event types that it does not know', (view) => {
    const newer = [...view.internalEvents].find(({ type }) => (type as string) === 'from-a-newer-version');
    if (newer !== undefined) throw new Error(`what is ${newer.type}?`);
    return act(view);
  }),
  {
    name: 'ignores the abort',
    caughtBy: aborted,
    create: () => ({ name: 'ignores the abort', condense: act }),
    createHanging: () => ({ name: 'ignores the abort', condense: () => new Promise<View>(() => undefined) }),
  },
  {
    name: 'throws something of its own when aborted',
    caughtBy: aborted,
    create: () => ({
      name: 'throws something of its own when aborted',
      condense: (view, { signal }) => {
        if (signal?.aborted === true) throw new Error('stopped');
        return act(view);
      },
    }),
  },
];
