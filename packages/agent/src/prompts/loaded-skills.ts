import type { Event, EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** The `sender` of the messages that show loaded skills again. */
export const loadedSkillsSender = 'palimpsest/loaded-skills';

/** How many of the skills that were loaded last are shown again. */
const maxSkills = 3;
/** How often one load of a skill is shown again. After that the model loads it again, if it still needs it. */
const maxRepetitions = 2;

/** The name of the skill whose whole text a tool result holds: the tool `load_skill` says so in `details`. */
export function loadedSkillOf(event: Event): string | undefined {
  if (event.type !== 'observation' || ('redacted' in event && event.redacted === true)) return undefined;
  const name = event.details?.['loadedSkill'];
  return typeof name === 'string' ? name : undefined;
}

/**
 * The names of the skills that the model loaded with a tool and whose text a condensation has forgotten or masked, if the text is
 * to be shown again: of the three skills that were loaded last, each at most twice after its last load. Cost: one pass over what
 * the condensations in force have forgotten.
 *
 * @param visible - the skills whose text the model sees
 */
export function forgottenLoads(view: View, visible: { has(name: string): boolean }): readonly string[] {
  const loads = new Map<string, { readonly position: number; readonly id: EventId }>();
  const repetitions: { readonly names: readonly string[]; readonly position: number }[] = [];
  const read = (event: Event | undefined): void => {
    if (event === undefined) return;
    const position = view.positionOf(event.id) ?? -1;
    const name = loadedSkillOf(event);
    if (name !== undefined && position > (loads.get(name)?.position ?? -1)) loads.set(name, { position, id: event.id });
    if (event.type === 'message' && event.sender === loadedSkillsSender) {
      repetitions.push({ names: event.activatedSkills ?? [], position });
    }
  };
  const gone = new Set(
    view.condensations.flatMap(({ forgottenEventIds, redactions = [] }) => [
      ...forgottenEventIds,
      ...redactions.map(({ eventId }) => eventId),
    ]),
  );
  for (const id of gone) read(view.original(id));
  if (loads.size === 0) return [];
  for (const event of view.events) if (!gone.has(event.id)) read(event);
  const unneeded = markedResults(view);
  return [...loads]
    .filter(([, { id }]) => !unneeded.has(id))
    .sort(([, one], [, other]) => other.position - one.position)
    .slice(0, maxSkills)
    .filter(([name, load]) => {
      const shown = repetitions.filter(({ names, position }) => position > load.position && names.includes(name));
      return !visible.has(name) && shown.length < maxRepetitions;
    })
    .map(([name]) => name);
}

/**
 * The results of which the model said that it does not need them any more.
 *
 * @see `RelevanceDirective` of `@palimpsest/relevance-tool`, which this package does not depend on
 */
function markedResults(view: View): ReadonlySet<unknown> {
  const marked = new Set<unknown>();
  for (const event of view.internalEvents) {
    if (event.type === 'relevance/directive' && 'targetEventId' in event) marked.add(event.targetEventId);
  }
  return marked;
}
