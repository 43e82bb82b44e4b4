import { addressOf } from '@palimpsest/events';
import { pinnedEventIds } from '@palimpsest/view';
import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import type { Choice } from '../../output/lines.js';
import type { CommandScreen } from '../command-screen.js';
import { addressedPhrase } from '../../output/phrases.js';
import { eventChoice, nameableEvents, namedEvent } from './named-event.js';
import { openedSession, shownView } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

/** How many are offered. */
const mostOffered = 200;

/** `/pin`. */
export const pinCommand: CommandWork = {
  async run(argument, screen) {
    const opened = openedSession(screen.session);
    const { conversation } = opened;
    if (argument === 'list') return listPins(conversation.view, screen);
    const event = await chosen(argument, conversation.view, unpinned(conversation.view), 'What is to be kept?', screen);
    if (event === undefined) return;
    if (pinnedEventIds(conversation.view).has(event.id)) return screen.say('It is pinned already.');
    await conversation.pin(event.id);
    const shown = await shownView(opened);
    const now = shown.events.at(shown.indexOf(event.id) ?? shown.events.length);
    const isMasked = now !== undefined && 'redacted' in now && now.redacted === true;
    const more = isMasked
      ? '\nThe model reads a note in its place: /undo-compact or /recall brings the text back.'
      : '';
    screen.say(`Pinned: ${addressedPhrase(event, conversation.view)}${more}`);
  },
  complete: (_, { opened }) =>
    opened === undefined ? [] : offered(unpinned(opened.conversation.view), opened.conversation.view),
};

/** `/unpin`. */
export const unpinCommand: CommandWork = {
  async run(argument, screen) {
    const { conversation } = openedSession(screen.session);
    const { view } = conversation;
    const pinned = pinnedIn(view);
    if (pinned.length === 0) return screen.say('Nothing is pinned.');
    const given = argument === 'all' ? pinned : [await chosenPin(argument, view, pinned, screen)];
    const events = given.filter((event) => event !== undefined);
    if (events.length === 0) return;
    const others = events.filter(({ id }) => !pinned.some((event) => event.id === id));
    if (others.length > 0) return screen.say('It is not pinned. /pin list shows what is.');
    // A result is pinned with its whole batch, by whichever of it was named.
    const ids = new Set(events.flatMap(({ id }) => [id, ...batchOf(id, view)]));
    await conversation.unpin([...ids]);
    screen.say(events.map((event) => `No longer pinned: ${addressedPhrase(event, view)}`).join('\n'));
  },
  complete: (_, { opened }) =>
    opened === undefined ? [] : offered(pinnedIn(opened.conversation.view), opened.conversation.view),
};

async function chosenPin(
  argument: string,
  view: View,
  pinned: readonly LLMConvertibleEvent[],
  screen: CommandScreen,
): Promise<LLMConvertibleEvent | undefined> {
  return argument === 'last' ? pinned[0] : chosen(argument, view, pinned, 'Which pin is to end?', screen);
}

async function chosen(
  argument: string,
  view: View,
  events: readonly LLMConvertibleEvent[],
  question: string,
  screen: CommandScreen,
): Promise<LLMConvertibleEvent | undefined> {
  if (argument !== '') return namedEvent(view, argument);
  if (events.length === 0) {
    screen.say('There is nothing to choose from yet.');
    return undefined;
  }
  const id = await screen.choose(
    question,
    events.slice(0, mostOffered).map((event) => eventChoice(event, view)),
  );
  return events.find((event) => event.id === id);
}

function unpinned(view: View): readonly LLMConvertibleEvent[] {
  const pinned = pinnedEventIds(view);
  return nameableEvents(view).filter(({ id }) => !pinned.has(id));
}

function pinnedIn(view: View): readonly LLMConvertibleEvent[] {
  const pinned = pinnedEventIds(view);
  return nameableEvents(view).filter(({ id }) => pinned.has(id));
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

async function listPins(view: View, screen: CommandScreen): Promise<void> {
  const pinned = pinnedIn(view);
  if (pinned.length === 0) return screen.say('Nothing is pinned.');
  await screen.show({
    title: `Pinned: ${pinned.length}`,
    lines: pinned.map((event) => ({ text: addressedPhrase(event, view) })),
  });
}

function offered(events: readonly LLMConvertibleEvent[], view: View): readonly Choice[] {
  return events.slice(0, mostOffered).map((event) => ({ ...eventChoice(event, view), value: addressOf(event.id) }));
}
