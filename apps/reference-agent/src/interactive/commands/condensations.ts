import { addressOf } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { isRelevanceDirective } from '@palimpsest/relevance-tool';
import type { RelevanceDirective } from '@palimpsest/relevance-tool';
import type { CondensationDetails, CondensationHistory, View } from '@palimpsest/view';
import type { OpenedSession } from '../../open-session.js';
import { formatThousands } from '../../output/lines.js';
import { UsageError } from '../../usage-error.js';
import {
  condensationPhrase,
  condensationPage,
  directivePage,
  directiveTokens,
} from '../../output/condensation-lines.js';
import type { Choice } from '../../output/lines.js';
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
    const id = argument === '' ? await screen.choose(`Which one? ${choiceColumns}`, choices) : named(argument, choices);
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
  const { events, view } = opened.conversation;
  const directives = new Map(directivesOf(opened).map((each) => [each.id, each]));
  return events
    .slice()
    .flatMap((event): readonly Choice[] => {
      const directive = directives.get(event.id);
      if (directive !== undefined) return [directiveChoice(directive, view)];
      const details = event.type === 'condensation' ? history.details(event.id) : undefined;
      return details === undefined ? [] : condensationChoice(details);
    })
    .reverse();
}

function directivesOf({ conversation }: OpenedSession): readonly RelevanceDirective[] {
  return conversation.events.slice().filter(isRelevanceDirective);
}

/** What the columns of a list of condensations are. The labels are short enough for what completion shows of one. */
export const choiceColumns = '(time in UTC, kind, tokens before → after)';

/** A condensation in a list; none for an empty one, which answers a request and has changed nothing. */
export function condensationChoice(details: CondensationDetails): readonly Choice[] {
  const { condensation, forgotten, masked, tokensBefore, tokensAfter } = details;
  if (forgotten.length + masked.length === 0) return [];
  const kind = condensation.summary !== undefined ? 'summary' : forgotten.length > 0 ? 'left out' : 'notes';
  const detail = `${addressOf(condensation.id)} ${condensationPhrase(details)}`;
  return [{ label: labelOf(condensation, kind, tokensBefore, tokensAfter), detail, value: condensation.id }];
}

function directiveChoice(directive: RelevanceDirective, view: View): Choice {
  const { before, after } = directiveTokens(directive, view);
  const detail = `${addressOf(directive.id)} the model marked a result as no longer needed`;
  return { label: labelOf(directive, 'mark', before, after), detail, value: directive.id };
}

function labelOf({ timestamp }: Event, kind: string, before: number, after: number | undefined): string {
  const when = timestamp.slice(5, 16).replace('T', ' ');
  const became = after === undefined ? 'waits' : formatThousands(after);
  return `${when} ${kind} ${formatThousands(before)} → ${became}`;
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
