import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isToolResult } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { redactedCopy, ViewProjection } from './index.js';
import type { Replacement, ThinkingMode, View, ViewProperty } from './index.js';
import { fingerprint } from './testing/contract/fingerprint.js';
import { randomLog } from './testing/random-log.js';
import { seededRandom } from './testing/random.js';
import type { Random } from './testing/random.js';

/**
 * Digests of everything that views of random logs show, one for each log. They were made by an earlier fold, which kept its
 * results up to date with each event and had nothing in common with this one but the rules. `UPDATE_FINGERPRINTS=true` makes
 * them again: only after a rule has changed.
 */
const file = new URL('testing/fold-fingerprints.json', import.meta.url);
const stored = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>;
const isUpdate = process.env['UPDATE_FINGERPRINTS'] === 'true';
const isThorough = isUpdate || process.env['PALIMPSEST_THOROUGH'] === 'true';
const seeds = Array.from({ length: isThorough ? 240 : 12 }, (_, seed) => seed);
const modes: readonly ThinkingMode[] = ['prefix-bound', 'latest-turn', 'none'];

test.each([false, true])('views of random logs show what they always showed (dirty: %s)', (dirty) => {
  const digests = Object.fromEntries(
    seeds.map((seed) => [`${dirty ? 'dirty' : 'clean'} ${seed}`, digestOf(seed, dirty)]),
  );
  if (isUpdate) {
    const all = { ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...digests };
    writeFileSync(file, `${JSON.stringify(all, undefined, 1)}\n`);
  } else {
    const expected = Object.fromEntries(Object.keys(digests).map((name) => [name, stored[name]]));
    expect(digests).toEqual(expected);
  }
});

function digestOf(seed: number, dirty: boolean): string {
  const { events } = randomLog({ seed, dirty, length: 20 + (seed % 41) });
  const hash = createHash('sha256');
  for (const [at, thinking] of modes.entries()) {
    const random = seededRandom(seed);
    const properties = at === 1 && seed % 2 === 0 ? [runOf] : [];
    const projection = new ViewProjection({ thinking, properties });
    const earlier: View[] = [];
    for (const [index, event] of events.entries()) {
      projection.append(event);
      if ((index + seed) % 4 !== 0 && index < events.length - 1) continue;
      earlier.push(projection.view);
      hash.update(fingerprint(projection.view));
      for (const derived of derivedFrom(projection.view, events[random.below(index + 1)]?.id, random)) {
        hash.update(fingerprint(derived));
        hash.update(JSON.stringify(derived.toMessages({ thinking: modes[random.below(3)] })));
      }
    }
    // An older view does not change while the log grows.
    for (const view of earlier) hash.update(fingerprint(view));
  }
  return hash.digest('hex').slice(0, 16);
}

const runOf: ViewProperty = (event) =>
  event.type === 'message' && event.content.length > 0 ? `run ${event.role}` : undefined;

function derivedFrom(view: View, since: EventId | undefined, random: Random): readonly View[] {
  // What waits stays: whether a view may be cut behind a call that only the log holds is left open.
  const ids = new Set(
    [...view.events].filter(({ id }) => random.chance(0.15) && !view.leftOut.has(id)).map(({ id }) => id),
  );
  const changes = new Map<EventId, Replacement>();
  for (const event of view.events) {
    if (!random.chance(0.15)) continue;
    const copy = copyOf(event);
    if (copy !== undefined)
      changes.set(event.id, { event: copy, effectiveFrom: random.chance(0.5) ? since : undefined });
  }
  const replaced = view.replace(changes);
  return [view.without(ids), replaced, replaced.without(ids), view.without(ids).replace(changes)];
}

function copyOf(event: LLMConvertibleEvent): LLMConvertibleEvent | undefined {
  if (event.type === 'message') return { ...event, content: [{ type: 'text', text: `short ${event.id}` }] };
  if (event.type === 'action') return redactedCopy(event, { arguments: '{}' });
  return isToolResult(event) ? redactedCopy(event, { text: 'masked' }) : undefined;
}
