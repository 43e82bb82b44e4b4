import { createEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { relevanceDirectiveType } from '@palimpsest/relevance-tool';

/** Forty steps of a coding session: reads, commands that fail, a user who speaks up. */
export function session(): readonly Event[] {
  const log = logBuilder();
  log.system();
  log.user('Make the reader accept empty files.');
  for (let step = 1; step <= 40; step++) {
    if (step % 15 === 0) log.user(`Leave option ${step} alone.`);
    log.call('read_file', { path: `lib/reader-${step}.ts` }, `${step}: export const reader = ${step};\n`.repeat(500));
    if (step % 4 === 0)
      log.call('run_command', { command: `npm test -- reader-${step}` }, 'FAIL reader\n\nexit code 1');
  }
  return log.events;
}

/** A session in which the model marked every other file that it had read. */
export function markedSession(): readonly Event[] {
  const log = logBuilder();
  log.system();
  log.user('Look through the files.');
  const directives: Event[] = [];
  for (let step = 1; step <= 20; step++) {
    const { result } = log.call(
      'read_file',
      { path: `lib/page-${step}.ts` },
      `${step}: export const page;\n`.repeat(60),
    );
    if (step % 2 === 1) continue;
    const about = { requestedEventId: result.id, targetEventId: result.id, toolCallId: result.toolCallId };
    const said = { source: 'environment', summary: 'read', text: 'Read, and no longer needed.' } as const;
    directives.push(createEvent(relevanceDirectiveType, { ...said, ...about }));
  }
  return [...log.events, ...directives];
}

/** Calls between two messages of the environment each, which name what belongs together. */
export function reviewedCalls(): readonly Event[] {
  const log = logBuilder();
  log.user('Publish the pages.');
  for (let call = 1; call <= 6; call++) {
    log.environment('Is this call wanted?', { sender: `review/${call}` });
    log.call('publish', { page: call }, 'published');
    log.environment('It was.', { sender: `review/${call}` });
    if (call % 2 === 0) log.user('The next two.');
  }
  return log.events;
}
