import type { Event, EventId } from '@palimpsest/events';
import { shownLines } from '@palimpsest/terminal';
import { StreamTranslation } from '../output/stream-translation.js';
import type { StreamEvent } from '../output/stream-event.js';
import type { SessionRecord } from './session-record.js';

/** A session as markdown, part by part: everything that was said and done, with what the model no longer reads marked. */
export function* transcript(record: SessionRecord, log: Iterable<Event>): Generator<string> {
  const events = [...log];
  const hidden = hiddenBy(events);
  yield `# Session ${record.id}\n\n`;
  yield `Model ${code(record.model)} in ${code(record.workspace)}, since ${record.created}.\n`;
  const translation = new StreamTranslation([]);
  let calls = 0;
  const names = new Map<EventId, number>();
  for (const event of events) {
    for (const told of translation.follow(event)) {
      if (told.type === 'tool-call') names.set(told.id, ++calls);
      const number =
        told.type === 'tool-call' ? calls : told.type === 'tool-result' ? names.get(told.call ?? '') : undefined;
      const section = sectionOf(told, number);
      if (section !== undefined) yield `\n## ${section.heading}${hidden.get(event.id) ?? ''}\n\n${section.body}\n`;
    }
  }
}

/** For each event that a condensation has hidden: the remark behind its heading. */
function hiddenBy(events: readonly Event[]): ReadonlyMap<EventId, string> {
  const reverted = new Set(
    events.flatMap((event) => (event.type === 'condensation-revert' ? [event.condensationId] : [])),
  );
  const hidden = new Map<EventId, string>();
  for (const event of events) {
    if (event.type !== 'condensation' || reverted.has(event.id)) continue;
    for (const { eventId } of event.redactions ?? []) hidden.set(eventId, ' (masked later)');
    for (const eventId of event.forgottenEventIds) hidden.set(eventId, ' (forgotten later)');
  }
  return hidden;
}

const speakers = { user: 'User', model: 'Model', framework: 'Framework' } as const;

function sectionOf(
  told: StreamEvent,
  number: number | undefined,
): { readonly heading: string; readonly body: string } | undefined {
  switch (told.type) {
    case 'message':
      return {
        heading: `${speakers[told.from]}${told.isCutOff === true ? ' (cut off)' : ''}`,
        body: shownLines(told.text),
      };
    case 'tool-call':
      return { heading: `Call ${number ?? ''}: ${oneWord(told.name)}`, body: fenced(told.arguments) };
    case 'tool-result':
      return { heading: `Result ${number ?? ''}: ${oneWord(told.name)}, ${told.status}`, body: fenced(told.text) };
    case 'condensation': {
      const sizes = `${told.tokensBefore} → ${told.tokensAfter} tokens; ${told.forgotten} events forgotten, ${told.masked} masked.`;
      return {
        heading: `Condensation${told.condenser === undefined ? '' : ` by ${oneWord(told.condenser)}`}`,
        body: told.summary === undefined ? sizes : `${sizes}\n\n${fenced(told.summary)}`,
      };
    }
    default:
      return undefined;
  }
}

const oneWord = (text: string): string => shownLines(text).replace(/\s+/g, ' ');

function code(text: string): string {
  return `\`${oneWord(text).replaceAll('`', "'")}\``;
}

/** Text in a fence that no fence inside of it ends. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${shownLines(text).replace(/\n$/, '')}\n${fence}`;
}
