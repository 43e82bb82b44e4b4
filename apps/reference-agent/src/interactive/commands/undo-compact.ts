import { addressOf } from '@palimpsest/events';
import type { CondensationHistory, View } from '@palimpsest/view';
import type { Choice } from '../../output/lines.js';
import { condensationPhrase } from '../../output/condensation-lines.js';
import { formatCount, formatTokens } from '../../output/lines.js';
import { choiceColumns, condensationChoice, named } from './condensations.js';
import { condensationHistory } from './log-readers.js';
import { openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

/** `/undo-compact`. */
export const undoCompactCommand: CommandWork = {
  async run(argument, screen) {
    const { conversation } = openedSession(screen.session);
    const history = condensationHistory(conversation);
    const choices = inForce(conversation.view, history);
    const [newest] = choices;
    if (newest === undefined)
      return screen.say('No condensation is in force: the model reads all of the conversation.');
    const id =
      argument === ''
        ? newest.value
        : argument === 'list'
          ? await screen.choose(`Which one is to be taken back? ${choiceColumns}`, choices)
          : named(argument, choices);
    const details = id === undefined ? undefined : history.details(id);
    if (id === undefined || details === undefined) return;
    const before = conversation.view.tokens();
    await conversation.revert(id);
    const back = details.forgotten.filter(({ event }) => conversation.view.indexOf(event.id) !== undefined).length;
    screen.say(
      [
        `Taken back: ${condensationPhrase(details)}.`,
        `The model reads ${backInWords(back, details.masked.length)} again: ${formatTokens(before)} → ${formatTokens(conversation.view.tokens())}.`,
        ...(back < details.forgotten.length
          ? [`${formatCount(details.forgotten.length - back, 'event')} stay hidden by other condensations.`]
          : []),
        'The condenser rests now, until you /compact or the window is full. What you /pin it keeps then, too.',
      ].join('\n'),
    );
  },
  complete: (_, { opened }) => {
    if (opened === undefined) return [];
    const { conversation } = opened;
    const all = inForce(conversation.view, condensationHistory(conversation));
    return all.map((choice) => ({ ...choice, value: addressOf(choice.value) }));
  },
};

/** What is read again. */
function backInWords(events: number, masked: number): string {
  const parts = [
    ...(events > 0 || masked === 0 ? [formatCount(events, 'event')] : []),
    ...(masked > 0 ? [formatCount(masked, 'masked text')] : []),
  ];
  return parts.join(' and ');
}

/** The condensations in force that hide something, the newest first. */
function inForce({ condensations }: View, history: CondensationHistory): readonly Choice[] {
  return condensations
    .flatMap(({ id }): readonly Choice[] => {
      const details = history.details(id);
      return details === undefined ? [] : condensationChoice(details);
    })
    .reverse();
}
