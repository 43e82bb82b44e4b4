import type { PolicyTimeline, SessionTimeline } from '../../replay/timeline.js';

/** What is with an item of the log at a call: not there yet, read whole, read as a stub, or not read. */
export type ItemState = { readonly shown: 'whole' | 'stub' | 'hidden'; readonly since: number };

/** A session with one policy, call by call. */
export interface Steps {
  /** The items of the view at a call, in its order. */
  viewAt(call: number): readonly number[];
  /** The state of each item of the log that stands before a call, and the call that it has been so since. */
  statesAt(call: number): readonly ItemState[];
  /** The calls at which something that was read before is no longer read whole, or something was condensed. */
  readonly forgetting: readonly number[];
}

/** Unfolds the views, which stand in the page as changes. */
export function stepsOf(timeline: SessionTimeline, policy: PolicyTimeline): Steps {
  const views: (readonly number[])[] = [];
  for (const [same, ...added] of policy.views) {
    const view = (views.at(-1) ?? []).slice(0, same);
    for (const run of added) {
      const [from, to] = typeof run === 'number' ? [run, run] : run;
      for (let item = from; item <= to; item++) view.push(item);
    }
    views.push(view);
  }
  const states: (readonly ItemState[])[] = [];
  const forgetting = new Set(policy.condensations.map(({ call }) => call));
  views.forEach((view, call) => {
    const whole = new Set<number>();
    const stubs = new Set<number>();
    for (const item of view) {
      const of = timeline.items[item]?.of;
      if (item < timeline.logged) whole.add(item);
      else if (of !== undefined) stubs.add(of);
    }
    const before = states.at(-1) ?? [];
    states.push(
      Array.from({ length: timeline.calls[call] ?? 0 }, (_, item): ItemState => {
        const shown = whole.has(item) ? 'whole' : stubs.has(item) ? 'stub' : 'hidden';
        const last = before[item];
        if (last?.shown === shown) return last;
        if (last?.shown === 'whole') forgetting.add(call);
        return { shown, since: call };
      }),
    );
  });
  return {
    viewAt: (call) => views[call] ?? [],
    statesAt: (call) => states[call] ?? [],
    forgetting: [...forgetting].sort((one, other) => one - other),
  };
}
