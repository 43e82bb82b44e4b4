import { EventLog } from '@palimpsest/events';
import type { Event, EventId } from '@palimpsest/events';
import { printableJson, printableText } from '@palimpsest/terminal';
import { View } from '@palimpsest/view';
import { exitStatus } from '../context.js';
import type { CliContext } from '../context.js';
import type { StreamEvent } from '../output/stream-event.js';
import { StreamTranslation } from '../output/stream-translation.js';
import { SessionError, whyUnreadable } from './session.js';
import type { ListedSession, SessionRecord } from './session.js';

/** The values of `--format`. */
export const exportFormats = ['jsonl', 'markdown', 'messages'] as const;
/** A value of `--format`. */
export type ExportFormat = (typeof exportFormats)[number];

/** Runs `palimpsest export`: prints a session with all that condensing has hidden. Resolves to the exit status. */
export async function exportCommand(
  { session, record }: ListedSession,
  format: ExportFormat,
  { stdout }: Pick<CliContext, 'stdout'>,
): Promise<number> {
  const { id, store, folder, log: file } = session;
  const log = await EventLog.open(id, { store }).catch((cause: unknown) => {
    throw new SessionError(`Session '${id}' cannot be read: ${whyUnreadable(file, cause)}`, { folder, cause });
  });
  switch (format) {
    case 'jsonl':
      for (const event of log) stdout.write(`${printableJson(event, 0)}\n`);
      break;
    case 'markdown':
      for (const part of transcript(record, log)) stdout.write(part);
      break;
    case 'messages':
      stdout.write(`${printableJson(View.fromEvents(withoutHiding(log)).toMessages())}\n`);
  }
  return exitStatus.done;
}

/** The log as if nothing had ever been condensed. */
function withoutHiding(log: Iterable<Event>): readonly Event[] {
  return [...log].filter(({ type }) => type !== 'condensation' && type !== 'condensation-revert');
}

/** Writes a session as markdown, part by part: everything that was said and done, with what the model no longer reads marked. */
function* transcript(record: SessionRecord, log: Iterable<Event>): Generator<string> {
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
        body: printableText(told.text),
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

const oneWord = (text: string): string => printableText(text).replace(/\s+/g, ' ');

function code(text: string): string {
  return `\`${oneWord(text).replaceAll('`', "'")}\``;
}

/** Text in a fence that no fence inside of it ends. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${printableText(text).replace(/\n$/, '')}\n${fence}`;
}
