import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { unitsOf } from '@palimpsest/view';
import type { Unit, View } from '@palimpsest/view';
import type { Selection } from '../../authoring/rolling/select-middle.js';
import { filesOfResult } from './files-of-call.js';

/** The units that show a file: a read, and the edits that followed it. */
interface ShownFile {
  readonly path: string;
  readonly units: readonly Unit[];
  /** Unit: tokens, as the view estimates. */
  readonly tokens: number;
  /** The place of the file's newest change in the order of all changes. */
  readonly changedAt: number;
}

/** A newer read stands in for an older one if it shows at least so much of it. Unit: share of its tokens. */
const enoughOfLarger = 0.5;

/**
 * The events of a range that show files on which work goes on: the newest read of each file that was changed, with the changes
 * since then, because an edit must quote what it replaces word for word. The files that were changed last come first, as far as
 * they fit into `maxTokens`.
 */
export function eventsOfFilesInWork(
  view: View,
  { start, end }: Selection,
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

/** The files of some units that are read there and were changed at any time; those changed last come first. */
function filesInWork(view: View, units: readonly Unit[]): readonly ShownFile[] {
  const reads = new Map<string, Unit>();
  const changes = new Map<string, Unit[]>();
  const changedAt = new Map<string, number>();
  let order = 0;
  for (const { forgottenEventIds } of view.condensations) {
    for (const id of forgottenEventIds) {
      for (const { path, operation } of filesOfResult(view, id)) if (operation !== 'read') changedAt.set(path, order++);
    }
  }
  for (const { id } of view.events) {
    for (const { path, operation } of filesOfResult(view, id)) {
      if (operation !== 'read') changedAt.set(path, order++);
    }
  }
  for (const unit of units) {
    for (const { id } of view.events.slice(unit.start, unit.end)) {
      for (const { path, operation } of filesOfResult(view, id)) {
        const before = reads.get(path);
        if (operation !== 'read') changes.set(path, [...(changes.get(path) ?? []), unit]);
        else if (before === undefined || sizeOf(view, [unit]) >= sizeOf(view, [before]) * enoughOfLarger)
          reads.set(path, unit);
      }
    }
  }
  const files = [...reads].flatMap(([path, read]): readonly ShownFile[] => {
    const changed = changedAt.get(path);
    if (changed === undefined) return [];
    const since = changes.get(path)?.filter((unit) => unit.start > read.start) ?? [];
    const shown = [read, ...new Set(since)];
    return [{ path, units: shown, tokens: sizeOf(view, shown), changedAt: changed }];
  });
  return files.sort((a, b) => b.changedAt - a.changedAt);
}

function sizeOf(view: View, units: readonly Unit[]): number {
  return units.reduce((sum, { start, end }) => sum + view.tokens(start, end), 0);
}

function firstId(view: View, { start }: Unit): EventId {
  return (view.events.at(start) as LLMConvertibleEvent).id;
}
