import { isErrorResult, isToolResult, toolResultContent } from '@palimpsest/events';
import type { Event, ToolResultEvent } from '@palimpsest/events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { findSessions } from '../import/find-sessions.js';
import { readSessions } from '../import/read-sessions.js';
import { plainLines } from '../measure/lines.js';
import type { Trial } from './trial.js';

/** The folder of our own agent's sessions, below a home. */
const ownSessions = '.local/state/palimpsest/sessions';

/** A shorter line stands in many results. Unit: characters. */
const shortestLine = 15;
/** A result of fewer lines that say something is a status. */
const fewestLines = 3;
/** So much of a result has been shown before, if it was read again. */
const leastShare = 0.8;
const charactersPerToken = 4;

const changing = /edit|write|replace|patch/i;
const oldTextMissing =
  /not (?:in|found)|no match|0 occurrences|could not find|failed to find|does not (?:exist|contain|appear)/i;

/**
 * Counts, in the logs that an agent has left in its home, what it read again and the edits that were refused because their old text did not stand
 * in the file. It is the same count in every arm, whoever condenses. Empty if no log is there that can be read.
 */
export async function sessionFigures(home: string): Promise<Pick<Trial, 'rereads' | 'refusedEdits'>> {
  const { sessions } = await findSessions({ home, environment: {} });
  const own = path.join(home, ownSessions);
  const places = [...sessions.map((session) => session.path), ...(existsSync(own) ? [own] : [])];
  const rereads = { results: 0, tokens: 0 };
  let refusedEdits = 0;
  let found = 0;
  for (const place of places) {
    for await (const { events } of readSessions(place)) {
      found++;
      const figures = figuresOf(events);
      rereads.results += figures.rereads.results;
      rereads.tokens += figures.rereads.tokens;
      refusedEdits += figures.refusedEdits;
    }
  }
  return found === 0 ? {} : { rereads, refusedEdits };
}

/** Counts the same in the events of one session. */
export function figuresOf(events: readonly Event[]): Required<Pick<Trial, 'rereads' | 'refusedEdits'>> {
  const seen = new Set<string>();
  const rereads = { results: 0, tokens: 0 };
  let refusedEdits = 0;
  for (const event of events) {
    if (!isToolResult(event)) continue;
    const text = textOf(event);
    if (changing.test(event.toolName)) {
      if (isErrorResult(event) && oldTextMissing.test(text)) refusedEdits++;
      continue;
    }
    const lines = plainLines(text)
      .split('\n')
      .filter((line) => line.length >= shortestLine);
    const again = lines.filter((line) => seen.has(line)).length;
    if (lines.length >= fewestLines && again >= leastShare * lines.length) {
      rereads.results++;
      rereads.tokens += Math.round(text.length / charactersPerToken);
    }
    for (const line of lines) seen.add(line);
  }
  return { rereads, refusedEdits };
}

function textOf(event: ToolResultEvent): string {
  return toolResultContent(event)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n');
}
