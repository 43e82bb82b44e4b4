import type { Event } from '@palimpsest/events';
import { condenseUntilSettled } from '../../policy/condense-until-settled.js';
import { View } from '../../view-projection.js';
import { ViewProjection } from '../../view-projection.js';
import { randomLog } from '../random-log.js';
import { sentParts } from '../sent-parts.js';
import { check, named } from './subject.js';
import type { Rule, Subject } from './subject.js';

/** A condenser that rewrites at more than this share of the model calls counts as rewriting every step. */
const oftenShare = 1 / 3;
/** Fewer rewrites than this are ignored. */
const few = 3;

const declaresRewrites: Rule = {
  name: 'says so where it rewrites what a provider has cached at every step',
  check: (subject) =>
    named({ name: `${subject.actsOn.name}, call by call`, events: subject.actsOn.events }, async () => {
      const condenser = await subject.create();
      if (condenser.rewritesEveryStep === true) return;
      const { calls, rewrites } = await rewritesOf(subject);
      check(
        rewrites < few || rewrites <= calls * oftenShare,
        `rewrote what the model call before was sent at ${rewrites} of ${calls} calls, and does not declare rewritesEveryStep`,
      );
    }),
};

/** Grows the log made for the condenser, and more behind it, as a host does; counts the calls from the first rewrite on. */
async function rewritesOf(subject: Subject): Promise<{ readonly calls: number; readonly rewrites: number }> {
  const condenser = await subject.create();
  const projection = new ViewProjection({ thinking: subject.actsOn.thinking });
  const more = randomLog({ seed: 1, length: 40, idPrefix: 'more-' }).events.filter(
    ({ type }) => type !== 'system-prompt',
  );
  const events = [...subject.actsOn.events, ...more];
  const whole = View.fromEvents(events);
  let [calls, rewrites] = [0, 0];
  let before: readonly [readonly Sent[], readonly Sent[]] | undefined;
  let isEdited = false;
  for (const event of events) {
    // The event begins a response, so the model was called before it.
    if (whole.responseOf(event.id) === event.id) {
      const made = projection.view.condensations.length;
      const view = await condenseUntilSettled(condenser, projection, subject.context);
      isEdited ||= projection.view.condensations.length > made;
      const logged = sentBy(projection.view);
      const now = [logged, view === projection.view ? logged : sentBy(view)] as const;
      // The log itself may change the sent content, for example by a late result. That is not a rewrite by the condenser.
      const isRewrite =
        before !== undefined && !isEdited && isPrefix(before[0], now[0]) && !isPrefix(before[1], now[1]);
      if (isRewrite) rewrites++;
      if (rewrites > 0) calls++;
      before = now;
      isEdited = false;
    }
    isEdited ||= isEdit(event);
    projection.append(event);
  }
  return { calls, rewrites };
}

/** True for an event that explains a change of the sent content: an edit, or another party's decision in its own event. */
function isEdit({ type }: Event): boolean {
  return type.startsWith('condensation') || type === 'system-prompt' || type.includes('/');
}

/** A part as it was sent: itself if it cannot change, otherwise its JSON. */
interface Sent {
  readonly role: string;
  readonly part: unknown;
}

function sentBy(view: View): readonly Sent[] {
  return sentParts(view.toMessages()).map(({ role, part }) => ({
    role,
    part: Object.isFrozen(part) ? part : JSON.stringify(part),
  }));
}

function isPrefix(shorter: readonly Sent[], longer: readonly Sent[]): boolean {
  return shorter.length <= longer.length && shorter.every((sent, index) => isSame(sent, longer[index] as Sent));
}

/** Most parts are the log's own objects, which the call before was sent too. */
function isSame(one: Sent, other: Sent): boolean {
  return one.role === other.role && (one.part === other.part || jsonOf(one) === jsonOf(other));
}

function jsonOf({ part }: Sent): string {
  return typeof part === 'string' ? part : JSON.stringify(part);
}

/** The rules that hold from one model call to the next. */
export const rulesOfSteps: readonly Rule[] = [declaresRewrites];
