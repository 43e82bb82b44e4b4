import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEvent } from '@palimpsest/events';
import type { Event, EventId } from '@palimpsest/events';
import { newestStep, protectedEventIds, View } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { requirementOf } from './authoring/rolling/requirement.js';
import { firstSummary, isProgress, selectMiddle, strictestTail } from './authoring/rolling/selection.js';

/** The logs and expectations of the upstream system, by the folder that the environment names. */
const folder = process.env['PALIMPSEST_CONFORMANCE'];

interface UpstreamEvent {
  readonly kind: string;
  readonly id: string;
  readonly text: string;
  readonly source: 'user' | 'agent' | 'environment';
  readonly call: string;
  readonly resp: string;
  readonly thinking: boolean;
  readonly executable: boolean;
  readonly thought: string;
  readonly forgotten: readonly string[];
  readonly summary: string | null;
  readonly offset: number | null;
}

interface UpstreamSelection {
  readonly max_size: number;
  readonly keep_first: number;
  readonly max_tokens: number | null;
  readonly agent_limit: number | null;
  readonly reasons: readonly string[];
  readonly requirement: 'soft' | 'hard' | null;
  readonly result: 'view' | 'condensation';
  readonly forgotten?: readonly string[];
  readonly offset?: number;
}

interface UpstreamCase {
  readonly case: number;
  readonly clean: boolean;
  readonly log: readonly UpstreamEvent[];
  readonly expect: { readonly indices: readonly number[]; readonly condense: readonly UpstreamSelection[] };
}

/** One selection of the upstream system, and the view that it was made on. */
interface Trial {
  readonly name: string;
  readonly view: View;
  readonly upstream: UpstreamSelection;
  /** The cut points are the same. */
  readonly sameCuts: boolean;
}

/** Where we select otherwise than the upstream system does. */
interface OwnRules {
  readonly rollsUp?: boolean;
  readonly keepsNewest?: boolean;
  readonly countsTokens?: boolean;
  readonly countsWhatGoes?: boolean;
}

/** What a condenser would forget; undefined where it leaves the view as it is. */
interface Selected {
  readonly reasons: readonly string[];
  readonly level: 'soft' | 'hard' | null;
  readonly forgotten: readonly EventId[] | undefined;
  readonly offset: number | undefined;
}

describe.skipIf(folder === undefined)('selections of the upstream system', () => {
  const trials = folder === undefined ? [] : trialsOf(join(folder, 'upstream-cases.jsonl'));
  const acting = trials.filter(({ upstream }) => upstream.result === 'condensation');

  test('the same reasons, the same requirement, and the same events forgotten, but where cut points differ', () => {
    const different = trials.filter((trial) => !agrees(select(trial, {}), trial.upstream));
    const differentActing = different.filter((trial) => acting.includes(trial));
    console.log(
      `selections: ${acting.length - differentActing.length} of ${acting.length} agree, ` +
        `and ${trials.length - different.length} of all ${trials.length} limits; the rest by cut points that stale thinking does not glue`,
    );
    for (const { name, sameCuts } of different) expect(sameCuts, name).toBe(false);
    expect(acting.length).toBe(686);
    expect(different.length).toBeLessThanOrEqual(13);
  });

  test('what our own rules change, by rule', () => {
    const rules: readonly {
      readonly rule: string;
      readonly ours: OwnRules;
      readonly because: (trial: Trial) => boolean;
    }[] = [
      {
        rule: 'a summary among the first events is replaced',
        ours: { rollsUp: true },
        because: ({ view, upstream }) => view.events.slice(0, upstream.keep_first).some(isSummary),
      },
      {
        rule: 'the newest step stays',
        ours: { keepsNewest: true },
        because: (trial) => {
          const newest = trial.view.events.slice(newestStep(trial.view).cutPoint).map(({ id }) => id);
          return trial.upstream.forgotten?.some((id) => newest.includes(id)) === true;
        },
      },
      {
        rule: 'few events that hold many tokens are progress',
        ours: { countsTokens: true },
        because: ({ upstream }) => upstream.reasons.includes('tokens'),
      },
      {
        rule: 'what is protected is no progress',
        ours: { countsWhatGoes: true },
        because: ({ view, upstream }) =>
          upstream.forgotten?.some((id) => protectedEventIds(view).has(id)) === true &&
          upstream.forgotten.length < view.events.length * 0.1 + 3,
      },
    ];
    for (const { rule, ours, because } of rules) {
      const changed = acting.filter((trial) => trial.sameCuts && !same(select(trial, ours), select(trial, {})));
      console.log(`${rule}: changes ${changed.length} of ${acting.length} selections`);
      for (const trial of changed) expect(because(trial), trial.name).toBe(true);
    }
  });
});

/** The selection, as a pure function of view and limits; a hard reset counts as everything. */
function select({ view, upstream }: Trial, ours: OwnRules): Selected {
  const { max_size: maxSize, max_tokens: maxTokens, agent_limit: limit } = upstream;
  // What is asked of it here is no more than this.
  const counted = {
    events: view.events,
    internalEvents: view.internalEvents,
    unhandledCondensationRequest: view.unhandledCondensationRequest,
    tokens: (from = 0, to = view.events.length) => quarter(view.tokens(0, to)) - quarter(view.tokens(0, from)),
  } as Partial<View> as View;
  const limits = [maxTokens, limit].filter((each) => each !== null);
  const requirement = requirementOf(
    counted,
    { report: () => {} },
    { maxSize, maxTokens: limits.length === 0 ? undefined : Math.min(...limits) },
  );
  const { level } = requirement;
  const reasons = [...requirement.reasons].sort();
  if (level === 'none') return { reasons, level: null, forgotten: undefined, offset: undefined };
  const { length } = view.events;
  const keepFirst = ours.rollsUp === true ? firstSummary(view.events, upstream.keep_first) : upstream.keep_first;
  const tail = strictestTail({ requirement, length, maxSize, keepFirst, tokens: counted.tokens });
  const any = selectMiddle({ length, cutPoints: view.cutPoints, keepFirst, tail, minProgress: 0 });
  const kept = ours.countsWhatGoes === true ? protectedEventIds(view) : new Set<EventId>();
  const events = any === undefined ? 0 : view.events.slice(any.start, any.end).filter(({ id }) => !kept.has(id)).length;
  const tokens = any !== undefined && ours.countsTokens === true ? counted.tokens(any.start, any.end) : 0;
  const middle = isProgress(counted, { events, tokens }, 0.1) ? any : undefined;
  const range = middle ?? (level === 'hard' ? { start: 0, end: length } : undefined);
  const end = ours.keepsNewest === true ? Math.min(range?.end ?? 0, newestStep(view).cutPoint) : range?.end;
  const forgotten = range && view.events.slice(range.start, end).map(({ id }) => id);
  return { reasons, level, forgotten, offset: range?.start };
}

function quarter(characters: number): number {
  return Math.floor(characters / 4);
}

function agrees(ours: Selected, upstream: UpstreamSelection): boolean {
  return same(ours, {
    reasons: [...upstream.reasons].sort(),
    level: upstream.requirement,
    forgotten: upstream.forgotten,
    offset: upstream.offset,
  });
}

function same(a: Selected, b: Selected): boolean {
  return (
    JSON.stringify([a.reasons, a.level, a.forgotten, a.offset]) ===
    JSON.stringify([b.reasons, b.level, b.forgotten, b.offset])
  );
}

function isSummary(event: { readonly type: string }): boolean {
  return event.type === 'condensation-summary';
}

function trialsOf(file: string): readonly Trial[] {
  const cases = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as UpstreamCase)
    .filter(({ clean }) => clean);
  return cases.flatMap(({ case: number, log, expect: { condense, indices } }) => {
    const view = View.fromEvents(log.map(eventOf), { thinking: 'latest-turn', estimateTokens: charactersOf });
    const sameCuts = JSON.stringify([...view.cutPoints]) === JSON.stringify(indices);
    return condense.map((upstream, index) => ({
      name: `case ${number}, limits ${index + 1}`,
      view,
      upstream,
      sameCuts,
    }));
  });
}

/** The upstream cases count the characters of all messages: thinking and arguments are none of them. */
function charactersOf(event: Parameters<typeof textOf>[0]): number {
  return textOf(event).length;
}

function textOf(event: View['events'] extends Iterable<infer Item> ? Item : never): string {
  switch (event.type) {
    case 'system-prompt':
      return event.systemPrompt;
    case 'message':
    case 'observation':
      return event.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    case 'action':
      return event.thought.map((part) => (part.type === 'text' ? part.text : '')).join('');
    case 'user-reject-observation':
      return `Action rejected: ${event.rejectionReason}`;
    case 'agent-error':
      return event.error;
    case 'condensation-summary':
      return event.summary;
  }
}

function eventOf(event: UpstreamEvent): Event {
  const base = { id: event.id, timestamp: '2026-01-01T00:00:00.000Z' };
  switch (event.kind) {
    case 'system':
      return createEvent('system-prompt', { ...base, systemPrompt: event.text });
    case 'message':
      return createEvent('message', {
        ...base,
        source: event.source,
        role: event.source === 'agent' ? 'assistant' : 'user',
        content: [{ type: 'text', text: event.text }],
      });
    case 'action':
      return createEvent('action', {
        ...base,
        thought: event.thought === '' ? [] : [{ type: 'text', text: event.thought }],
        toolCall: { id: event.call, name: 'tool', arguments: '{}' },
        llmResponseId: event.resp,
        ...(event.thinking ? { thinkingBlocks: [{ type: 'thinking', thinking: 'T', signature: 's' }] } : {}),
        executable: event.executable,
      });
    case 'observation':
      return createEvent('observation', {
        ...base,
        toolName: 'tool',
        toolCallId: event.call,
        content: [{ type: 'text', text: event.text }],
      });
    case 'reject':
      return createEvent('user-reject-observation', {
        ...base,
        toolName: 'tool',
        toolCallId: event.call,
        rejectionReason: 'User rejected the action',
      });
    case 'error':
      return createEvent('agent-error', { ...base, toolName: 'tool', toolCallId: event.call, error: 'err' });
    case 'pause':
      return createEvent('pause', base);
    case 'request':
      return createEvent('condensation-request', base);
    case 'condensation':
      return createEvent('condensation', {
        ...base,
        forgottenEventIds: event.forgotten,
        ...(event.summary === null || event.offset === null
          ? {}
          : { summary: event.summary, summaryOffset: event.offset }),
      });
    default:
      throw new Error(`unknown kind '${event.kind}'`);
  }
}
