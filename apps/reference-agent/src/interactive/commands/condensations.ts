import { addressOf } from '@palimpsest/events';
import { isRelevanceDirective } from '@palimpsest/relevance-tool';
import type { RelevanceDirective } from '@palimpsest/relevance-tool';
import type { CondensationHistory } from '@palimpsest/view';
import type { OpenedSession } from '../../open-session.js';
import { UsageError } from '../../usage-error.js';
import { condensationInWords, condensationPage, directivePage } from '../condensation-details.js';
import type { Choice } from '../command-screen.js';
import { condensationHistory } from './log-readers.js';
import { openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

/** `/condensations`. */
export const condensationsCommand: CommandWork = {
  async run(argument, screen) {
    const opened = openedSession(screen.session);
    const { conversation, agent } = opened;
    const history = condensationHistory(conversation);
    const choices = condensationChoices(opened, history);
    if (choices.length === 0) return screen.say('Nothing was condensed in this session.');
    const id = argument === '' ? await screen.choose('Which one?', choices) : named(argument, choices);
    const details = id === undefined ? undefined : history.details(id);
    if (details !== undefined) {
      return screen.show(condensationPage(details, { view: conversation.view, prices: agent.llm.prices }));
    }
    const directive = directivesOf(opened).find((each) => each.id === id);
    if (directive !== undefined) await screen.show(directivePage(directive, conversation.view));
  },
  complete: (_, session) => {
    const { opened } = session;
    if (opened === undefined) return [];
    return condensationChoices(opened, condensationHistory(opened.conversation)).map((choice) => ({
      ...choice,
      value: addressOf(choice.value),
    }));
  },
};

/** Condensations and redactions, the newest first. */
function condensationChoices(opened: OpenedSession, history: CondensationHistory): readonly Choice[] {
  const { events } = opened.conversation;
  const directives = new Set(directivesOf(opened).map(({ id }) => id));
  return events
    .slice()
    .flatMap((event): readonly Choice[] => {
      if (directives.has(event.id)) {
        return [
          { label: 'the model marked a result as no longer needed', detail: addressOf(event.id), value: event.id },
        ];
      }
      const details = event.type === 'condensation' ? history.details(event.id) : undefined;
      // An empty one answers a request, and has changed nothing.
      const hides = details !== undefined && details.forgotten.length + details.masked.length > 0;
      return !hides ? [] : [{ label: condensationInWords(details), detail: addressOf(event.id), value: event.id }];
    })
    .reverse();
}

function directivesOf({ conversation }: OpenedSession): readonly RelevanceDirective[] {
  return conversation.events.slice().filter(isRelevanceDirective);
}

/** The id of the choice that a person names by its address or the beginning of it. @throws {@link UsageError} */
export function named(name: string, choices: readonly Choice[]): string {
  if (name === 'last' && choices[0] !== undefined) return choices[0].value;
  const found = choices.filter(({ value }) => value.startsWith(name) || addressOf(value).startsWith(name));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.value;
  throw new UsageError(
    only === undefined
      ? `There is none at '${name}'. Without an argument a list is shown.`
      : `${found.length} begin with '${name}': give more of it.`,
  );
}
