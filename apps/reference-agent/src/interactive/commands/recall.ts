import { textLines } from '../../output/lines.js';
import type { Event } from '@palimpsest/events';
import { searchHidden } from '@palimpsest/relevance-tool';
import type { HiddenText } from '@palimpsest/relevance-tool';
import { UsageError } from '../../usage-error.js';
import type { OpenedSession } from '../../open-session.js';
import type { Line } from '../../output/lines.js';
import type { CommandScreen } from '../command-screen.js';
import { openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

/** How many are shown. */
const mostShown = 50;
/** A longer text is not brought back whole: it may be what was too long. Unit: characters. */
const longestBroughtBack = 40_000;

/** `/recall`. */
export const recallCommand: CommandWork = {
  async run(words, screen) {
    if (words === '') throw new UsageError('Say what to search for: /recall port 8080');
    const opened = openedSession(screen.session);
    const { found, hidden, seen } = await searchHidden(opened.conversation.events, words, {
      condenser: opened.agent.condenser,
    });
    if (found.length === 0) {
      const why = hidden === 0 ? 'Nothing is hidden from the model.' : `None of ${hidden} hidden texts fits.`;
      return screen.say(seen === 0 ? why : `${why} The model sees ${seen} that do: /view shows them.`);
    }
    await screen.show({ title: `Hidden: ${found.length} of ${hidden} fit`, lines: pageLines(found) });
    await bringBack(found, opened, screen);
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

async function bringBack(
  found: readonly HiddenText[],
  opened: OpenedSession,
  { choose, say, session }: CommandScreen,
): Promise<void> {
  const { conversation } = opened;
  const id = await choose('Bring one back to the model?', [
    { label: 'none', value: '' },
    ...found.slice(0, mostShown).map(({ description, event }) => ({ label: description, value: event.id })),
  ]);
  const text = found.find(({ event }) => event.id === id);
  if (text === undefined) return;
  const by = conversation.view.condensations.findLast((each) => hides(each, text.event));
  const isBusy = session.state.type === 'working' || session.state.type === 'waiting';
  const how = await choose('How?', [
    { label: 'as a message with its text, which the model reads next', value: 'tell' },
    ...(by === undefined || isBusy
      ? []
      : [{ label: 'by taking back the condensation that hid it, and all that it hid', value: 'revert' }]),
  ]);
  if (how === 'revert' && by !== undefined) {
    await conversation.revert(by.id);
    say(`Taken back. The model reads ${text.address} again in its place.`);
  } else if (how === 'tell') {
    if (text.text.length > longestBroughtBack) {
      throw new UsageError(
        `${text.address} has ${text.text.length} characters, too many to send at once: name the part that matters to the model, or take the condensation back.`,
      );
    }
    await conversation.tell(broughtBack(text));
    say(`The model reads ${text.address} with its next step.`);
  }
}

function hides(
  condensation: {
    readonly forgottenEventIds: readonly string[];
    readonly redactions?: readonly { readonly eventId: string }[];
  },
  { id }: Event,
): boolean {
  const { forgottenEventIds, redactions = [] } = condensation;
  return forgottenEventIds.includes(id) || redactions.some(({ eventId }) => eventId === id);
}

/** As the recall tool says it: a record, and no new words of anybody. */
function broughtBack({ description, text }: HiddenText): string {
  return `The user brings back a part of this conversation that was hidden from you. It is a record, not a new request.\n${description}\n<recalled>\n${text.replaceAll('</recalled', '</ recalled')}\n</recalled>`;
}
