import { addressOf } from '@palimpsest/events';
import type { Event, EventId } from '@palimpsest/events';
import { oneLine } from '../../authoring/calls/excerpt.js';
import { isFailedStatus, statusText } from '../../authoring/calls/result.js';
import type { TaskItem } from './fact.js';
import type { ErrorEntry, FileEntry, Manifest, Run, RunningEntry } from './manifest.js';
import { headings, summaryHeader } from './manifest.prompt.js';
import { listSection, sizeOfLines, textSection } from './section.js';
import type { Section } from './section.js';
import { isOpen } from './task-facts.js';
import { userWordsSection } from './user-words.js';
import { wordsOfEvent } from './words-of-event.js';

/** The input for the text of a manifest. */
export interface RenderManifestOptions {
  /** The number of events that the manifest covers. */
  readonly events: number;
  readonly maxCharacters: number;
  /** Of these, for the user's words. @defaultValue a third */
  readonly userCharacters?: number | undefined;
  /** False if the user's first message is still shown, so that the first one of the manifest is not the request. @defaultValue true */
  readonly beginsWithRequest?: boolean | undefined;
  /** The entries that still run, the newest last. @defaultValue nothing */
  readonly running?: readonly RunningEntry[] | undefined;
  /** Any event of the log as it was logged; the texts of messages are read from it. */
  original(id: EventId): Event | undefined;
  /** The position of an event in the log. */
  positionOf(id: EventId): number | undefined;
}

/**
 * Writes a manifest as the text of a summary, in at most so many characters. Undefined if not even its first lines fit.
 *
 * The user's words come first, up to `userCharacters`. Every other kind of entry has a share of the rest, and unused space goes to
 * the other kinds. When space is short, entries are dropped in this order: the agent's messages, calls
 * and commands that only looked, files only read, identifiers, other calls, commands, errors, failing tests, changed files, ends of
 * turns, earlier summaries, open tasks, ids of what runs, and last the user's messages. Within a kind the oldest is dropped first.
 */
export function renderManifest(manifest: Manifest, options: RenderManifestOptions): string | undefined {
  const header = summaryHeader(options.events);
  const space = options.maxCharacters - header.length;
  if (space < 0) return undefined;
  const userSpace = Math.min(space, options.userCharacters ?? Math.floor(options.maxCharacters / 3));
  const words = userWordsOf(manifest, options);
  const sections = sectionsOf(manifest, options).filter(({ isEmpty }) => !isEmpty);
  for (let count = sections.length; count >= 0; count--) {
    const parts = sharedOut(words, sections.slice(0, count), { space, userSpace });
    // No kind is left out entirely while a less important one is shown.
    if (parts.every((part) => part !== '')) return [header, ...parts].join('\n\n');
  }
  return header;
}

/** Returns the user's words of a manifest, as a section of its text. */
export function userWordsOf(
  { userWords }: Manifest,
  {
    original,
    positionOf,
    beginsWithRequest = true,
  }: Pick<RenderManifestOptions, 'original' | 'positionOf' | 'beginsWithRequest'>,
): Section {
  const textOf = (id: EventId): string => wordsOfEvent(original(id)) ?? '';
  return userWordsSection(headings.userWords, inLogOrder(userWords, positionOf), { textOf, beginsWithRequest });
}

/**
 * Gives the user's words their space and each section its share of the rest, at least an entry as long as there is space. Then the
 * remaining space goes to those that can use it, the most important first.
 */
function sharedOut(
  words: Section,
  sections: readonly Section[],
  { space, userSpace }: { readonly space: number; readonly userSpace: number },
): readonly string[] {
  const said = words.isEmpty ? [] : linesOf(words, userSpace);
  let left = space - sizeOf(said);
  const rest = left;
  const own = sections.map((section) => {
    const within = linesOf(section, Math.min(left, Math.floor(rest * section.share)));
    const size = sizeOf(within.length > 0 ? within : linesOf(section, Math.min(left, leastOfSection)));
    left -= size;
    return size;
  });
  const parts = sections.map((section, index) => {
    const before = own[index] as number;
    const lines = linesOf(section, before + left);
    left -= sizeOf(lines) - before;
    return lines.join('\n');
  });
  return words.isEmpty || userSpace === 0 ? parts : [said.join('\n'), ...parts];
}

/** A section whose share is too small for its newest entry may take so much. Unit: characters. */
const leastOfSection = 500;

/** Ordered by importance: the sections that are dropped first come last. */
function sectionsOf(manifest: Manifest, options: RenderManifestOptions): readonly Section[] {
  const { original, running = [] } = options;
  const words = (ids: readonly EventId[]): string[] =>
    ids.map((id) => wordsOfEvent(original(id)) ?? '').filter((text) => text !== '');
  const [changed, read] = split(manifest.files, isChanged);
  const [looks, commands] = split(manifest.commands, ({ onlyLooks }) => onlyLooks);
  const [otherLooks, calls] = split(manifest.calls, ({ onlyLooks }) => onlyLooks);
  return [
    listSection(headings.running, 0.06, running, ({ id, of }) => `${id} (${of})`),
    listSection(headings.tasks, 0.14, manifest.tasks.filter(isOpen), taskText),
    textSection(headings.earlierSummaries, 0.14, summaries(manifest, original), 400),
    listSection(headings.turns, 0.08, turnsOf(manifest, options), (text) => text),
    listSection(headings.changedFiles, 0.2, changed, fileText),
    listSection(headings.failingTests, 0.07, manifest.failingTests, (name) => name),
    listSection(headings.errors, 0.08, manifest.errors.slice(-12), errorText),
    listSection(headings.commands, 0.1, failuresLast(commands), runText),
    listSection(headings.calls, 0.06, failuresLast(calls), runText),
    listSection(headings.identifiers, 0.05, usedLast(manifest), ({ label, value }) =>
      label === '' ? value : `${label}: ${value}`,
    ),
    listSection(headings.readFiles, 0.05, read, ({ path }) => path),
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

/** Turns that are older are not read. */
const newestTurns = 24;

/**
 * The last words of the agent's turns, which the user's answers belong to: a `yes` alone tells nothing. What a condensation kept and a later one
 * forgot stands where it was said.
 */
function turnsOf(
  { userWords, agentWords }: Manifest,
  { original, positionOf }: Pick<RenderManifestOptions, 'original' | 'positionOf'>,
): readonly string[] {
  const byUser = new Set(userWords);
  const words = inLogOrder([...userWords, ...agentWords], positionOf);
  const turns = words.flatMap((user, index) => {
    const agent = words[index - 1];
    return agent !== undefined && byUser.has(user) && !byUser.has(agent) ? [{ agent, user }] : [];
  });
  return turns.slice(-newestTurns).flatMap(({ agent, user }) => {
    const [told, answer] = [wordsOfEvent(original(agent)) ?? '', wordsOfEvent(original(user)) ?? ''];
    if (told === '' || answer === '') return [];
    return [`${oneLine(lastParagraph(told), 200)}${addressed(agent, told)} → ${oneLine(answer, 80)}`];
  });
}

/** Facts stand in the order in which events were forgotten. */
function inLogOrder(ids: readonly EventId[], positionOf: RenderManifestOptions['positionOf']): readonly EventId[] {
  return [...ids].sort((a, b) => (positionOf(a) ?? 0) - (positionOf(b) ?? 0));
}

function lastParagraph(text: string): string {
  return (
    text
      .slice(-2_000)
      .split(/\n\s*\n/)
      .findLast((part) => part.trim() !== '') ?? text
  );
}

/** The address of a text of which not all is told. */
function addressed(id: EventId, text: string): string {
  return text.length < 400 ? '' : ` (address ${addressOf(id)})`;
}

function errorText({ of, text, address }: ErrorEntry): string {
  return `${oneLine(of, 120)}: ${text}${address === undefined ? '' : `, address ${address}`}`;
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
  const [first, others]: [Item[], Item[]] = [[], []];
  for (const item of items) (isFirst(item) ? first : others).push(item);
  return [first, others];
}
