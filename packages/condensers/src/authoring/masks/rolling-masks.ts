import { newestStep, pinStates } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { maskedView, masksBy } from './masks.js';
import type { AttentionWindow, MaskRule } from './masks.js';

/** What {@link rollingMasks} masks, and under which name. */
export interface RollingMasksOptions {
  readonly name: string;
  readonly rule: MaskRule;
  /** Before it masks stand. None touches the newest step, which need not lie in it. */
  readonly windowOf: (view: View) => AttentionWindow;
}

/**
 * A condenser that masks anew at each step what has left the window. The log is not touched, and each step rewrites what a
 * provider has cached behind the newest mask. It costs a look at every event before the window.
 */
export function rollingMasks({ name, rule, windowOf }: RollingMasksOptions): Condenser {
  const masks = masksBy(rule);
  return {
    name,
    rewritesEveryStep: true,
    condense: (view) => {
      const window = windowOf(view);
      const to = Math.min(window.start, newestStep(view).start);
      let nextStep: readonly number[] | undefined;
      let wasUnpinned: boolean | undefined;
      // A mask stands in what a response was made from when both what pushed the event out and a later step came before it.
      const standsFrom = (index: number): number =>
        Math.max(window.leftWith(index), (nextStep ??= nextSteps(view))[index] ?? Infinity) + 1;
      return maskedView(view, masks.of(view, 0, to), (index) => {
        // What was pinned for a while is masked later than the window says; when, the view does not tell.
        wasUnpinned ??= [...pinStates(view).values()].some(({ isPinned }) => !isPinned);
        return wasUnpinned ? undefined : view.events.at(standsFrom(index))?.id;
      });
    },
  };
}

/** For each index, where the next step behind it begins: the first of the model's events that follows somebody else's. */
function nextSteps({ events }: View): readonly number[] {
  const next = new Array<number>(events.length);
  let start = events.length;
  let isAfterModel = false;
  for (let index = events.length - 1; index >= 0; index--) {
    next[index] = start;
    const event = events.at(index);
    const isModel = event?.type === 'action' || (event?.type === 'message' && event.role === 'assistant');
    if (isModel) isAfterModel = true;
    else if (isAfterModel) {
      start = index + 1;
      isAfterModel = false;
      next[index] = start;
    }
  }
  return next;
}
