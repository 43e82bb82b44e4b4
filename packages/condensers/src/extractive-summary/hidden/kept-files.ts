import type { Condensation, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { unitsOf } from '@palimpsest/view';
import type { Unit, View } from '@palimpsest/view';
import type { EventRange } from '../../authoring/rolling/selection.js';
import { effectsOf } from './files-of-call.js';
import type { FileEffects, FileUse } from './files-of-call.js';

/** The place where a range shows a file: a read or a complete write, and the changes since then. */
interface ShownFile {
  readonly path: string;
  /** The size of what shows it. Unit: tokens, as the view estimates. */
  readonly tokens: number;
  /** Unit: position in the log. */
  readonly position: number;
  readonly units: readonly Unit[];
}

/** The effects of a call on files, and its position in the log. */
interface Step {
  readonly position: number;
  readonly effects: FileEffects;
}

/** A newer read stands in for an older one if it shows at least so much of it. Unit: share of its tokens. */
const enoughOfLarger = 0.5;

/**
 * Returns the events of a range that show files on which work goes on: the newest read or complete write of each file
 * that was changed, with the changes since then, because an edit must quote what it replaces word for word. The files
 * that were changed last come first, as far as they fit into `maxTokens`.
 *
 * A file stays with all changes since it was read, or not at all: a file that was deleted, moved away, replaced, or changed where
 * the view no longer shows it, does not stay. Commands that may change files without naming them, such as `git stash` or a formatter,
 * count as a change of every file. A program that hides the name of what it writes is not seen.
 */
export function eventsOfFilesInWork(
  view: View,
  { start, end }: EventRange,
  { maxTokens }: { readonly maxTokens: number },
): ReadonlySet<EventId> {
  const stay = new Set<EventId>();
  let room = maxTokens;
  if (room <= 0) return stay;
  const units = unitsOf(view).filter((unit) => unit.start >= start && unit.end <= end);
  for (const file of filesInWork(view, units)) {
    const added = file.units.filter((unit) => !stay.has(firstId(view, unit)));
    const tokens = sizeOf(view, added);
    if (tokens > room) continue;
    room -= tokens;
    for (const unit of added) for (const { id } of view.events.slice(unit.start, unit.end)) stay.add(id);
  }
  return stay;
}

/** The files that some units show as they are and that were changed at any time; those changed last come first. */
function filesInWork(view: View, units: readonly Unit[]): readonly ShownFile[] {
  const hidden = view.condensations.flatMap((condensation) => hiddenChanges(view, condensation));
  const seen: Step[] = [];
  const shown = new Map<string, ShownFile>();
  let next = 0;
  for (const { id, effects } of effectsOf(view, view.events)) {
    const index = view.indexOf(id) ?? 0;
    while (next < units.length && (units[next] as Unit).end <= index) next++;
    const unit = units[next] !== undefined && (units[next] as Unit).start <= index ? units[next] : undefined;
    const step = { position: view.positionOf(id) ?? 0, effects };
    if (changes(effects)) seen.push(step);
    const isVisible = isAsLogged(view, id) && isAsLogged(view, effects.action.id);
    if (effects.changesUnnamed) shown.clear();
    else if (effects.script !== '') applyChange(shown, step, { unit, isVisible });
    for (const use of effects.files) {
      const path = plain(use.path);
      if (use.operation !== 'read') applyChange(shown, step, { unit, isVisible, use });
      if (!isVisible || !(use.operation === 'read' || use.holdsContent)) continue;
      const place = use.operation === 'read' ? index : (view.indexOf(effects.action.id) ?? index);
      const tokens = view.tokens(place, place + 1);
      const before = shown.get(path);
      if (before !== undefined && tokens < before.tokens * enoughOfLarger) continue;
      if (unit === undefined) shown.delete(path);
      else shown.set(path, { path, tokens, position: step.position, units: [unit] });
    }
  }
  const changedAt = newestChanges([...hidden, ...seen]);
  return [...shown.values()]
    .filter((file) => !hidden.some(({ position, effects }) => position > file.position && touches(effects, file.path)))
    .map((file) => ({ file, at: changedAt(file.path) }))
    .filter(({ at }) => at !== undefined)
    .sort((a, b) => (b.at as number) - (a.at as number))
    .map(({ file }) => file);
}

/** Files that a change touches show it too, or are no longer shown as they are. */
function applyChange(
  shown: Map<string, ShownFile>,
  { effects }: Step,
  change: { readonly unit: Unit | undefined; readonly isVisible: boolean; readonly use?: FileUse },
): void {
  const { unit, isVisible, use } = change;
  const isReplaced = use !== undefined && (use.operation !== 'modified' || use.holdsContent);
  for (const file of [...shown.values()]) {
    const isTouched = use === undefined ? names(effects.script, file.path) : isSameFile(plain(use.path), file.path);
    if (!isTouched) continue;
    if (isReplaced || !isVisible) shown.delete(file.path);
    else if (unit !== undefined && !file.units.includes(unit))
      shown.set(file.path, { ...file, units: [...file.units, unit] });
  }
}

/** A cache: what a condensation has forgotten never changes. */
const known = new WeakMap<Condensation, readonly Step[]>();

/** The changes of files that a condensation has forgotten. */
function hiddenChanges(view: View, condensation: Condensation): readonly Step[] {
  const before = known.get(condensation);
  if (before !== undefined) return before;
  const steps: Step[] = [];
  for (const { id, effects } of effectsOf(
    view,
    condensation.forgottenEventIds.map((forgotten) => ({ id: forgotten })),
  )) {
    if (changes(effects)) steps.push({ position: view.positionOf(id) ?? 0, effects });
  }
  known.set(condensation, steps);
  return steps;
}

function changes({ files, changesUnnamed, script }: FileEffects): boolean {
  return changesUnnamed || script !== '' || files.some(({ operation }) => operation !== 'read');
}

function touches({ files, changesUnnamed, script }: FileEffects, path: string): boolean {
  return (
    changesUnnamed ||
    (script !== '' && names(script, path)) ||
    files.some((file) => file.operation !== 'read' && isSameFile(plain(file.path), path))
  );
}

/** When a file was changed by its name for the last time. Unit: position in the log. */
function newestChanges(steps: readonly Step[]): (path: string) => number | undefined {
  const byName = new Map<string, { readonly path: string; readonly position: number }[]>();
  for (const { position, effects } of steps) {
    for (const { path, operation } of effects.files) {
      if (operation === 'read') continue;
      const same = byName.get(lastPart(path));
      if (same === undefined) byName.set(lastPart(path), [{ path: plain(path), position }]);
      else same.push({ path: plain(path), position });
    }
  }
  return (path) =>
    byName
      .get(lastPart(path))
      ?.filter((change) => isSameFile(change.path, path))
      .reduce((newest, { position }) => Math.max(newest, position), 0);
}

/** Agents name one file from its root and from their working folder. In doubt it is the same: then less stays. */
function isSameFile(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

function names(script: string, path: string): boolean {
  return script.includes(lastPart(path));
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function plain(path: string): string {
  return path.startsWith('./') ? plain(path.slice(2)) : path;
}

/** Returns true if the view shows an event unmasked. */
function isAsLogged(view: View, id: EventId): boolean {
  const index = view.indexOf(id);
  return index !== undefined && view.events.at(index) === view.original(id);
}

function sizeOf(view: View, units: readonly Unit[]): number {
  return units.reduce((sum, { start, end }) => sum + view.tokens(start, end), 0);
}

function firstId(view: View, { start }: Unit): EventId {
  return (view.events.at(start) as LLMConvertibleEvent).id;
}
