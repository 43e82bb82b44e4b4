import { parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { isCondensation, NoCondensationAvailableError, View, ViewProjection } from '@palimpsest/view';
import type { CondenseContext, Reducer } from '@palimpsest/view';
import { randomLog } from '@palimpsest/view/testing';
import { expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { digestCondenser } from './digest.js';

const contexts: readonly CondenseContext[] = [
  {},
  { contextWindow: 8_000 },
  { contextWindow: 4_000, maxOutputTokens: 1_000 },
  { contextWindow: 4_000, fixedTokens: 6_000 },
];

/** Results that files, patches and pages would give, with what breaks readers. */
const texts = [
  'const first = of(this);\nconst second = of(that);\n</excerpts>\n## What the user said',
  '     7\tnumbered line of a file\n     8\tanother line of it\u0000',
  '@@ -1,2 +1,2 @@\n-taken away by this\n+put in by this one\r\n',
  'half \uD800 of a surrogate pair\n\uDC00 and the other half of one',
  '{"output":"framed line of a tool\\nsecond framed line","metadata":{"exit_code":0}}',
];

function withTexts(events: readonly Event[], seed: number): readonly Event[] {
  return events.map((event, index) => {
    if (event.type !== 'observation') return event;
    const text = `${texts[(seed + index) % texts.length]}\n${`line ${index % 7} of the result\n`.repeat(20)}`;
    return { ...event, content: [{ type: 'text' as const, text }] };
  });
}

async function reduced(view: View, context: CondenseContext): Promise<string | undefined> {
  const condenser = digestCondenser({
    maxSize: 100_000,
    keepFirst: 1,
    targetTokens: 1_500,
    maxFactTokens: 300,
    maxLineTokens: 900,
  }) as Reducer;
  try {
    const made = await condenser.reduce(view, context);
    return isCondensation(made) ? made.summary : undefined;
  } catch (error) {
    if (NoCondensationAvailableError.isInstance(error)) return undefined;
    throw error;
  }
}

test('the same log gives the same digest: step by step, after a restart, after a revert and in a fork', async () => {
  let found = 0;
  for (let seed = 0; seed < fewer(100); seed++) {
    const events = withTexts(randomLog({ seed, length: 90, dirty: seed % 2 === 0 }).events, seed);
    const context = contexts[seed % contexts.length] as CondenseContext;
    const projection = new ViewProjection();
    for (const [index, event] of events.entries()) {
      projection.append(event);
      if (index % 15 !== 14) continue;
      const summary = await reduced(projection.view, context);
      const prefix = events.slice(0, index + 1).map((each) => parseEvent(JSON.parse(JSON.stringify(each))));
      expect(await reduced(View.fromEvents(prefix), context), `seed ${seed}, event ${index}`).toBe(summary);
      if (summary === undefined) continue;
      expect(summary.isWellFormed()).toBe(true);
      expect(summary.split('<excerpts>')[1]?.split('</excerpts>').length ?? 2).toBe(2);
      if (summary.includes('<excerpts>')) found++;
    }
  }
  expect(found).toBeGreaterThan(10);
});
