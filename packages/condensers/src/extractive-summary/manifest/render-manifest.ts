import type { Event, EventId } from '@palimpsest/events';
import { oneLine } from '../../authoring/tool-calls/excerpt.js';
import type { TaskItem } from './fact.js';
import type { FileEntry, Manifest, Run } from './manifest.js';
import { headings, summaryHeader } from './manifest.prompt.js';
import { isFailedStatus, statusText } from '../../authoring/tool-calls/result-status.js';
import { listSection, sizeOfLines, textSection } from './section.js';
import type { Section } from './section.js';
import { isOpen } from './task-facts.js';
import { wordsOfEvent } from './words-of-event.js';

/** The input for the text of a manifest. */
export interface RenderManifestOptions {
  /** The number of events that the manifest covers. */
  readonly events: number;
  readonly maxCharacters: number;
  /** True if files stay as they were read, with the edits since. @defaultValue false */
  readonly keepsFiles?: boolean | undefined;
  /** Any event of the log as it was logged; the texts of messages are read from it. */
  original(id: EventId): Event | undefined;
}

/**
 * Writes a manifest as the text of a summary, in at most so many characters. Undefined if not even its first lines fit.
 *
 * Every kind of entry has a share of the space, and unused space goes to the other kinds. When space is short, entries are
 * dropped in this order: the agent's messages, calls and commands that only looked, files only read, identifiers, other calls,
 * commands, errors, failing tests, changed files, earlier summaries, open tasks, and last the user's messages. Within a kind the
 * oldest is dropped first; long messages are cut in the middle before any are dropped.
 */
export function renderManifest(manifest: Manifest, options: RenderManifestOptions): string | undefined {
  const header = summaryHeader(options.events, options.keepsFiles);
  const space = options.maxCharacters - header.length;
  if (space < 0) return undefined;
  const sections = sectionsOf(manifest, options).filter(({ isEmpty }) => !isEmpty);
  for (let count = sections.length; count > 0; count--) {
    const parts = sharedOut(sections.slice(0, count), space);
    // No kind is left out entirely while a less important one is shown.
    if (parts.every((part) => part !== '')) return [header, ...parts].join('\n\n');
  }
  return header;
}

/** Gives each section its share, then the remaining space to the sections that can use it, the most important first. */
function sharedOut(sections: readonly Section[], space: number): readonly string[] {
  let left = space;
  const own = sections.map((section) => {
    const size = sizeOf(linesOf(section, Math.floor(space * section.share)));
    left -= size;
    return size;
  });
  return sections.map((section, index) => {
    const before = own[index] as number;
    const lines = linesOf(section, before + left);
    left -= sizeOf(lines) - before;
    return lines.join('\n');
  });
}

/** Ordered by importance: the sections that are dropped first come last. */
function sectionsOf(manifest: Manifest, { original }: RenderManifestOptions): readonly Section[] {
  const words = (ids: readonly EventId[]): string[] =>
    ids.map((id) => wordsOfEvent(original(id)) ?? '').filter((text) => text !== '');
  const [changed, read] = split(manifest.files, isChanged);
  const [looks, commands] = split(manifest.commands, ({ onlyLooks }) => onlyLooks);
  const [otherLooks, calls] = split(manifest.calls, ({ onlyLooks }) => onlyLooks);
  return [
    textSection(headings.userWords, 0.3, words(manifest.userWords), 160),
    listSection(headings.tasks, 0.1, manifest.tasks.filter(isOpen), taskText),
    textSection(headings.earlierSummaries, 0.1, summaries(manifest, original), 400),
    listSection(headings.changedFiles, 0.15, changed, fileText),
    listSection(headings.failingTests, 0.05, manifest.failingTests, (name) => name),
    listSection(headings.errors, 0.06, manifest.errors.slice(-12), ({ of, text }) => `${oneLine(of, 120)}: ${text}`),
    listSection(headings.commands, 0.08, failuresLast(commands), runText),
    listSection(headings.calls, 0.05, failuresLast(calls), runText),
    listSection(headings.identifiers, 0.04, usedLast(manifest), ({ label, value }) =>
      label === '' ? value : `${label}: ${value}`,
    ),
    listSection(headings.readFiles, 0.04, read, ({ path }) => path),
    listSection(headings.looks, 0.02, [...looks, ...otherLooks], runText),
    listSection(
      headings.agentWords,
      0.01,
      // Some of several consecutive messages may be empty.
      words(manifest.agentWords.slice(-20)).slice(-5),
      (text) => oneLine(text, 240),
    ),
  ];
}

function linesOf(section: Section, characters: number): readonly string[] {
  const heading = `## ${section.heading}`;
  const lines = section.fit(characters - sizeOf([heading]));
  return lines.length === 0 ? [] : [heading, ...lines];
}

/** The length of the lines with the blank line before them. */
function sizeOf(lines: readonly string[]): number {
  return lines.length === 0 ? 0 : sizeOfLines(lines) + 1;
}

function summaries({ earlierSummaries }: Manifest, original: (id: EventId) => Event | undefined): string[] {
  return earlierSummaries.flatMap((id) => {
    const event = original(id);
    const isOne = event?.type === 'condensation' || event?.type === 'condensation-summary';
    return isOne && typeof event.summary === 'string' ? [event.summary] : [];
  });
}

function isChanged({ operations }: FileEntry): boolean {
  return operations.some((operation) => operation !== 'read');
}

function fileText({ path, operations }: FileEntry): string {
  return `${path} (${operations.join(', ')})`;
}

function taskText({ id, title, status }: TaskItem): string {
  return [status === undefined ? '' : `[${status}]`, id === undefined ? '' : `#${id}`, title ?? '']
    .filter((part) => part !== '')
    .join(' ');
}

function runText({ text, status, times, address }: Run): string {
  const often = times > 1 ? `, ${times} times` : '';
  return `${oneLine(text, 300)} → ${statusText(status)}${often}${address === undefined ? '' : `, address ${address}`}`;
}

/** Successful ones come before failed ones, so they are dropped first. */
function failuresLast(runs: readonly Run[]): readonly Run[] {
  const [failed, done] = split(runs, ({ status }) => isFailedStatus(status));
  return [...done, ...failed];
}

function usedLast({ identifiers }: Manifest): Manifest['identifiers'] {
  const [used, seen] = split(identifiers, (identifier) => identifier.used);
  return [...seen, ...used];
}

function split<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
