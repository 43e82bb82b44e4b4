import { addressOf } from '@palimpsest/events';
import type { Condensation, LLMConvertibleEvent, Event } from '@palimpsest/events';
import { searchHidden } from '@palimpsest/relevance-tool';
import type { HiddenText } from '@palimpsest/relevance-tool';
import { pinnedEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { OpenedSession } from '../session/open-session.js';
import { formatTokens, textLines } from '../output/lines.js';
import type { Choice, Line } from '../output/lines.js';
import { addressedPhrase, eventPhrase } from '../output/phrases.js';
import { UsageError } from '../context.js';
import { addressed, requireOpenSession } from './command.js';
import type { CommandSurface, CommandBody } from './command.js';
import { shownView } from './look.js';

/** More events are not offered. */
const mostOffered = 200;

/** Runs `/pin`. */
export const pinCommand: CommandBody = {
  async run(argument, surface) {
    const opened = requireOpenSession(surface.session);
    const { conversation } = opened;
    if (argument === 'list') return listPins(conversation.view, surface);
    const { view } = conversation;
    const event = await chosen(argument, view, pinnable(view, false), 'What do you want to keep?', surface);
    if (event === undefined) return;
    if (pinnedEventIds(conversation.view).has(event.id)) return surface.say('It is pinned already.');
    await conversation.pin(event.id);
    const shown = await shownView(opened);
    const now = shown.events.at(shown.indexOf(event.id) ?? shown.events.length);
    const isMasked = now !== undefined && 'redacted' in now && now.redacted === true;
    const more = isMasked
      ? '\nThe model reads a note in its place: /undo-compact or /recall brings the text back.'
      : '';
    surface.say(`Pinned: ${addressedPhrase(event, conversation.view)}${more}`);
  },
  complete: (_, { opened }) => offered(opened, false),
};

/** Runs `/unpin`. */
export const unpinCommand: CommandBody = {
  async run(argument, surface) {
    const { conversation } = requireOpenSession(surface.session);
    const { view } = conversation;
    const pinned = pinnable(view, true);
    if (pinned.length === 0) return surface.say('Nothing is pinned.');
    const chosenPin = async () =>
      argument === 'last' ? pinned[0] : chosen(argument, view, pinned, 'Which pin do you want to remove?', surface);
    const given = argument === 'all' ? pinned : [await chosenPin()];
    const events = given.filter((event) => event !== undefined);
    if (events.length === 0) return;
    const others = events.filter(({ id }) => !pinned.some((event) => event.id === id));
    if (others.length > 0) return surface.say('It is not pinned. /pin list shows what is.');
    // A result is pinned with its whole batch, by whichever of it was named.
    const ids = new Set(events.flatMap(({ id }) => [id, ...batchOf(id, view)]));
    await conversation.unpin([...ids]);
    surface.say(events.map((event) => `No longer pinned: ${addressedPhrase(event, view)}`).join('\n'));
  },
  complete: (_, { opened }) => offered(opened, true),
};

async function chosen(
  argument: string,
  view: View,
  events: readonly LLMConvertibleEvent[],
  question: string,
  surface: CommandSurface,
): Promise<LLMConvertibleEvent | undefined> {
  if (argument !== '') return namedEvent(view, argument);
  if (events.length === 0) {
    surface.say('There is nothing to choose from yet.');
    return undefined;
  }
  const id = await surface.choose(question, choicesOf(events, view));
  return events.find((event) => event.id === id);
}

/** The events of a view that are pinned, or all others. */
function pinnable(view: View, isPinned: boolean): readonly LLMConvertibleEvent[] {
  const pinned = pinnedEventIds(view);
  return nameableEvents(view).filter(({ id }) => pinned.has(id) === isPinned);
}

/** The calls and results that stand between the same cut points. */
function batchOf(id: string, view: View): readonly string[] {
  const index = view.indexOf(id);
  if (index === undefined) return [];
  const start = view.cutPoints.atOrBefore(index) ?? 0;
  const end = view.cutPoints.atOrAfter(index + 1) ?? view.events.length;
  const pinned = pinnedEventIds(view);
  return view.events.slice(start, end).flatMap((event) => (pinned.has(event.id) ? [event.id] : []));
}

async function listPins(view: View, surface: CommandSurface): Promise<void> {
  const pinned = pinnable(view, true);
  if (pinned.length === 0) return surface.say('Nothing is pinned.');
  await surface.show({
    title: `Pinned: ${pinned.length}`,
    lines: pinned.map((event) => ({ text: addressedPhrase(event, view) })),
  });
}

function offered(opened: OpenedSession | undefined, isPinned: boolean): readonly Choice[] {
  if (opened === undefined) return [];
  const { view } = opened.conversation;
  return addressed(choicesOf(pinnable(view, isPinned), view));
}

/** Returns the events that can be named: messages and results, the newest first. A call is named by its result. */
function nameableEvents({ events }: View): readonly LLMConvertibleEvent[] {
  return [...events].filter(({ type }) => type !== 'system-prompt' && type !== 'action').reverse();
}

/**
 * Returns the event of a view that a person means: `last` (the newest result, or else the newest message), an address, an id, or the
 * beginning of either.
 *
 * @throws {@link UsageError} when nothing fits, what fits is hidden, or more than one fits.
 */
function namedEvent(view: View, name: string): LLMConvertibleEvent {
  if (name === 'last') {
    const all = nameableEvents(view);
    const last = all.find(({ type }) => type === 'observation') ?? all[0];
    if (last === undefined) throw new UsageError('There is no message and no result yet.');
    return last;
  }
  const all = [...view.events];
  const fits = (of: (event: LLMConvertibleEvent) => string) => all.filter((event) => of(event).startsWith(name));
  const exact = all.find(({ id }) => id === name);
  const found =
    exact === undefined ? [...new Set([...fits(({ id }) => addressOf(id)), ...fits(({ id }) => id)])] : [exact];
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const hint = 'Without an argument a list is shown.';
  if (only !== undefined) throw new UsageError(`${found.length} events begin with '${name}': give more of it. ${hint}`);
  throw new UsageError(`The model sees no event '${name}' now. ${hint} /recall finds what is hidden.`);
}

/** Events of a view as a list. */
function choicesOf(events: readonly LLMConvertibleEvent[], view: View): readonly Choice[] {
  return events.slice(0, mostOffered).map((event) => {
    const index = view.indexOf(event.id) ?? 0;
    return {
      label: eventPhrase(event, view.callOf(event.id)),
      detail: `${addressOf(event.id)}, ${formatTokens(view.tokens(index, index + 1))}`,
      value: event.id,
    };
  });
}

/** More texts are not shown. */
const mostShown = 50;
/** A longer text is not brought back whole: it may be what was too long. Unit: characters. */
const longestBroughtBack = 40_000;

/** Runs `/recall`. */
export const recallCommand: CommandBody = {
  async run(words, surface) {
    if (words === '') throw new UsageError('Say what to search for: /recall port 8080');
    const opened = requireOpenSession(surface.session);
    const { found, hidden, seen } = await searchHidden(opened.conversation.events, words, {
      condenser: opened.agent.condenser,
    });
    if (found.length === 0) {
      const why = hidden === 0 ? 'Nothing is hidden from the model.' : `None of ${hidden} hidden texts fits.`;
      return surface.say(seen === 0 ? why : `${why} The model sees ${seen} that do: /view shows them.`);
    }
    await surface.show({ title: `Hidden: ${found.length} of ${hidden} fit`, lines: pageLines(found) });
    await bringBack(found, opened, surface);
  },
};

function pageLines(found: readonly HiddenText[]): readonly Line[] {
  // The text that was asked for by its address is shown whole.
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    return [{ text: only.description, style: 'strong' }, ...textLines(only.text, { indent: 2 })];
  }
  const more = found.length - mostShown;
  return [
    ...found
      .slice(0, mostShown)
      .flatMap(({ description, excerpt }): readonly Line[] => [
        { text: description, style: 'strong' },
        ...excerpt.map((text): Line => ({ text, style: 'hidden' })),
      ]),
    ...(more > 0 ? [{ text: `… and ${more} more: other words find them`, style: 'dim' } as const] : []),
  ];
}

async function bringBack(found: readonly HiddenText[], opened: OpenedSession, surface: CommandSurface): Promise<void> {
  const { conversation } = opened;
  const id = await surface.choose('Bring one back to the model?', [
    { label: 'none', value: '' },
    ...found.slice(0, mostShown).map(({ description, event }) => ({ label: description, value: event.id })),
  ]);
  const text = found.find(({ event }) => event.id === id);
  if (text === undefined) return;
  const by = conversation.view.condensations.findLast((each) => hides(each, text.event));
  const { type } = surface.session.state;
  const isBusy = type === 'working' || type === 'waiting';
  const how = await surface.choose('How?', [
    { label: 'as a message with its text, which the model reads next', value: 'tell' },
    ...(by === undefined || isBusy
      ? []
      : [{ label: 'by taking back the condensation that hid it, and all that it hid', value: 'revert' }]),
  ]);
  if (how === 'revert' && by !== undefined) {
    await conversation.revert(by.id);
    surface.say(`Taken back. The model reads ${text.address} again in its place.`);
  } else if (how === 'tell') {
    if (text.text.length > longestBroughtBack) {
      throw new UsageError(
        `${text.address} has ${text.text.length} characters, too many to send at once: name the part that matters to the model, or take the condensation back.`,
      );
    }
    await conversation.tell(broughtBack(text));
    surface.say(`The model reads ${text.address} with its next step.`);
  }
}

function hides({ forgottenEventIds, redactions = [] }: Condensation, { id }: Event): boolean {
  return forgottenEventIds.includes(id) || redactions.some(({ eventId }) => eventId === id);
}

/** Returns a recalled text in the words of the recall tool: a record, and no new words of anybody. */
function broughtBack({ description, text }: HiddenText): string {
  return `The user brings back a part of this conversation that was hidden from you. It is a record, not a new request.\n${description}\n<recalled>\n${text.replaceAll('</recalled', '</ recalled')}\n</recalled>`;
}
