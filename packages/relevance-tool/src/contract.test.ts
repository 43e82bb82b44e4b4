import { createEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { condenserContract } from '@palimpsest/view/testing';
import { describe, test } from 'vitest';
import { relevanceCondenser } from './condenser.js';
import { relevanceDirectiveType } from './directive.js';
import { redactionNote } from './redaction.js';

/** `npm test` takes the seed that also grows the log made for the condenser, CI's thorough run all of the contract's. */
const seeds = process.env['PALIMPSEST_THOROUGH'] === 'true' ? undefined : [3];

/** A session in which the model marked every other file that it had read. */
function markedSession(): readonly Event[] {
  const log = logBuilder();
  log.system();
  log.user('Look through the files.');
  const directives: Event[] = [];
  for (let step = 1; step <= 20; step++) {
    const { result } = log.call('read_file', { path: `part-${step}.ts` }, `${step}: export const part;\n`.repeat(60));
    if (step % 2 === 0) {
      directives.push(
        createEvent(relevanceDirectiveType, {
          source: 'environment',
          requestedEventId: result.id,
          targetEventId: result.id,
          toolCallId: result.toolCallId,
          summary: 'read',
          text: redactionNote('read'),
        }),
      );
    }
  }
  return [...log.events, ...directives];
}

describe('immediate', () => {
  condenserContract({ test, seeds, create: () => relevanceCondenser(), actsOn: markedSession() });
});

describe('batched', () => {
  condenserContract({
    test,
    seeds,
    create: () => relevanceCondenser({ apply: 'batched', batching: { expectedCalls: 1_000 } }),
    actsOn: markedSession(),
  });
});
