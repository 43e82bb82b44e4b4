import type { Condensation } from '@palimpsest/events';
import type { Session } from '../import/index.js';
import { evidenceOf } from '../measure/evidence/evidence.js';
import type { Evidence } from '../measure/evidence/evidence.js';
import { memoryMeter } from '../measure/memory.js';
import { promptMeter } from '../measure/prompt-meter.js';
import { recordedSession } from '../measure/recorded-session.js';
import type { RecordedSession } from '../measure/recorded-session.js';
import { condensedViews } from '../replay/condensed-views.js';
import type { Policy } from '../replay/policy.js';
import { headOf } from '../replay/replay-session.js';
import { standIn } from '../replay/stand-in-llm.js';
import { textCounter } from '../replay/token-counter.js';
import type { TextCounter } from '../replay/token-counter.js';
import { itemRuns, itemTable } from './item-table.js';
import type { ItemTable } from './item-table.js';
import type { PolicyTimeline, SessionTimeline, TimelineCondensation } from './page-data.js';

/** Options of {@link sessionTimeline}. */
export interface SessionTimelineOptions {
  readonly policies: readonly Policy[];
  /** The window that condensers are told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number | undefined;
  readonly onPolicy?: (name: string) => void;
}

/** Replays a session once more and keeps what a model would have read at each call with each condenser. */
export async function sessionTimeline(logged: Session, options: SessionTimelineOptions): Promise<SessionTimeline> {
  const session = recordedSession(logged.events);
  const count = textCounter();
  const evidence = evidenceOf(session);
  const table = itemTable(session, count);
  const policies: PolicyTimeline[] = [];
  for (const policy of options.policies) {
    options.onPolicy?.(policy.name);
    policies.push(await policyTimeline(policy, { session, evidence, count, table }, options));
  }
  const { texts, items, logged: events, calls } = table;
  return { texts, items, logged: events, calls, policies };
}

interface Recording {
  readonly session: RecordedSession;
  readonly evidence: readonly (readonly Evidence[])[];
  readonly count: TextCounter;
  readonly table: ItemTable;
}

async function policyTimeline(
  policy: Policy,
  { session, evidence, count, table }: Recording,
  { contextWindow }: SessionTimelineOptions,
): Promise<PolicyTimeline> {
  const condenser = await policy.create(standIn(count).llm);
  const head = headOf(session);
  const measure = promptMeter(count, head);
  const seen = memoryMeter(session, evidence, count);
  const [tokens, cached]: [number[], number[]] = [[], []];
  const views: PolicyTimeline['views'][number][] = [];
  const condensations: TimelineCondensation[] = [];
  const errors: { readonly call: number; readonly message: string }[] = [];
  let before: readonly number[] = [];
  let internal = 0;
  const fixedTokens = head === 0 ? undefined : head;
  for await (const made of condensedViews(session, condenser, { contextWindow, fixedTokens })) {
    const { modelCall: call, view } = made;
    errors.push(...made.errors.map((message) => ({ call, message })));
    const size = measure(view.toMessages());
    tokens.push(size.tokens);
    cached.push(size.cached);
    seen.atCall(call, view, size.tokens);
    for (const event of view.internalEvents.slice(internal)) {
      if (event.type === 'condensation') condensations.push(condensationAt(call, event, policy.name));
    }
    internal = view.internalEvents.length;
    const shown = table.itemsOf(view, call);
    let same = 0;
    while (same < shown.length && shown[same] === before[same]) same++;
    views.push([same, ...itemRuns(shown.slice(same))]);
    before = shown;
  }
  const faults = seen.memory.faults.flatMap(({ modelCall, source, kinds }) => {
    const item = table.itemOf(source);
    return item === undefined ? [] : [{ call: modelCall, item, kinds }];
  });
  return { policy: policy.name, tokens, cached, views, condensations, faults, errors };
}

function condensationAt(
  call: number,
  { forgottenEventIds, redactions = [], metadata = {} }: Condensation,
  policy: string,
): TimelineCondensation {
  const text = (key: string): string | undefined => {
    const value = metadata[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const size = (key: string): number | undefined => {
    const value = metadata[key];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };
  const [reason, stage] = [text('reason'), text('stage')];
  const [tokensBefore, tokensAfter] = [size('tokensBefore'), size('tokensAfter')];
  return {
    call,
    condenser: text('condenser') ?? policy,
    ...(reason !== undefined && { reason }),
    ...(stage !== undefined && { stage }),
    forgotten: forgottenEventIds.length,
    masked: redactions.length,
    ...(tokensBefore !== undefined && { tokensBefore }),
    ...(tokensAfter !== undefined && { tokensAfter }),
  };
}
