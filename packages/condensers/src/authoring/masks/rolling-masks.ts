import { isRecalled, newestStep, pinStates } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { maskedView, masksBy } from './masks.js';
import type { AttentionWindow, MaskRule } from './masks.js';

/** The masks of {@link rollingMasks} and the condenser's name. */
export interface RollingMasksOptions {
  readonly name: string;
  readonly rule: MaskRule;
  /** The window: events before it are masked. The newest step is never masked, even if it lies before the window. */
  readonly windowOf: (view: View) => AttentionWindow;
}

/**
 * A condenser that masks at each step the events that have left the window. The log does not change, and each step rewrites the
 * provider's cache behind the newest mask. Each call examines every event before the window.
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
      // A response was made from the masked text if the event that pushed the original out, and a later step, came before the
      // response.
      const standsFrom = (index: number): number =>
        Math.max(window.leftWith(index), (nextStep ??= nextSteps(view))[index] ?? Infinity) + 1;
      return maskedView(view, masks.of(view, 0, to), (index) => {
        // An event that was pinned or recalled for a while is masked later than the window says; the view does not record when.
        wasUnpinned ??= [...pinStates(view).values()].some(({ isPinned }) => !isPinned);
        const event = view.events.at(index);
        return wasUnpinned || (event !== undefined && isRecalled(event))
          ? undefined
          : view.events.at(standsFrom(index))?.id;
      });
    },
  };
}

/** For each index, the start of the next step: the first event of the model that follows an event of another source. */
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
