import { structuredSummaryCondenser } from '@palimpsest/condensers';
import { addressOf } from '@palimpsest/events';
import type { Event, Condensation } from '@palimpsest/events';
import { isRelevanceDirective } from '@palimpsest/relevance-tool';
import type { RelevanceDirective } from '@palimpsest/relevance-tool';
import type { View } from '@palimpsest/view';
import type { CondensationDetails } from '@palimpsest/view/inspect';
import type { OpenedSession } from '../session/open-session.js';
import {
  condensationHistory,
  condensationPhrase,
  condensationPage,
  directivePage,
  directiveTokens,
} from '../output/condensation-lines.js';
import type { ShownHistory } from '../output/condensation-lines.js';
import { SessionFigures } from '../output/figures.js';
import { hiddenPhrase, reasonPhrase } from '../output/condensation-phrases.js';
import { formatThousands, formatCount, formatTokens } from '../output/lines.js';
import type { Choice } from '../output/lines.js';
import { requestTokens } from '../output/request-size.js';
import { UsageError } from '../context.js';
import type { CommandBody } from './command.js';
import { addressed, namedChoice, requireOpenSession } from './command.js';

/** Runs `/condensations`. */
export const condensationsCommand: CommandBody = {
  async run(argument, surface) {
    const opened = requireOpenSession(surface.session);
    const { conversation, agent } = opened;
    const history = condensationHistory(conversation.events);
    const choices = condensationChoices(opened, history);
    if (choices.length === 0) return surface.say('Nothing was condensed in this session.');
    const id =
      argument === '' ? await surface.choose(`Which one? ${choiceColumns}`, choices) : namedChoice(argument, choices);
    const details = id === undefined ? undefined : history.details(id);
    if (details !== undefined) {
      const reread = new SessionFigures(conversation.events).rereadAfter(details.condensation.id);
      return surface.show(condensationPage(details, { view: conversation.view, prices: agent.llm.prices, reread }));
    }
    const directive = directivesOf(opened).find((each) => each.id === id);
    if (directive !== undefined) await surface.show(directivePage(directive, conversation.view));
  },
  complete: (_, { opened }) =>
    opened === undefined ? [] : addressed(condensationChoices(opened, condensationHistory(opened.conversation.events))),
};

/** Condensations and redactions, the newest first. */
function condensationChoices(opened: OpenedSession, history: ShownHistory): readonly Choice[] {
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

/** The columns of a list of condensations. The labels are short enough for what completion shows of one. */
const choiceColumns = '(time in UTC, kind, tokens before → after)';

/** A condensation in a list; none for an empty one, which answers a request and has changed nothing. */
function condensationChoice(details: CondensationDetails): readonly Choice[] {
  const { condensation, forgotten, masked, tokensBefore, tokensAfter } = details;
  if (forgotten.length + masked.length === 0) return [];
  const kind = condensation.summary !== undefined ? 'summary' : forgotten.length > 0 ? 'left out' : 'notes';
  // The label holds the sizes.
  const hidden = hiddenPhrase({
    forgotten: forgotten.length,
    masked: masked.length,
    summary: condensation.summary,
  });
  const detail = [
    `${addressOf(condensation.id)} ${reasonPhrase(condensation.metadata ?? {})}`,
    hidden,
    ...(details.revert === undefined ? [] : ['reverted']),
  ].join(' · ');
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

/** Runs `/compact`. */
export const compactCommand: CommandBody = {
  async run(focus, surface) {
    const { session } = surface;
    const opened = requireOpenSession(session);
    const { conversation } = opened;
    if (conversation.events.length === 0) return surface.say('There is nothing to condense yet.');
    const options = requestOf(opened, focus);
    if (session.state.type === 'working' || session.state.type === 'waiting') {
      await conversation.condense(options).catch(rethrow);
      return surface.say('Requested: the agent condenses before its next step.');
    }
    const done = await session.work(async (worked, signal): Promise<Done> => {
      // The command says it below. It is no problem of the session.
      const failed = (error: unknown): Done => ({ failure: signal.aborted ? undefined : error });
      return worked.condense({ ...options, signal }).then((made) => ({ made }), failed);
    });
    if (done?.failure !== undefined) rethrow(done.failure);
    if (done === undefined || !('made' in done)) return surface.say('It was interrupted: nothing was condensed.');
    const { made } = done;
    // That nothing was condensed, and why, is in the transcript already.
    const details = made === undefined ? undefined : condensationHistory(conversation.events).details(made.id);
    if (details !== undefined) surface.say(`${condensationPhrase(details)}\n/condensations last shows all of it.`);
  },
};

/** The outcome. Without either field it was interrupted. */
interface Done {
  readonly made?: Condensation | undefined;
  readonly failure?: unknown;
}

/** With a focus, a condenser that follows it: the agent's may ask no model. */
function requestOf({ smallLlm, agent }: OpenedSession, focus: string) {
  const { createEvent } = agent;
  return focus === ''
    ? {}
    : { focus, condenser: structuredSummaryCondenser({ llm: smallLlm, keepFirst: 1, createEvent }) };
}

/** A focus that is too long is the user's to change. */
function rethrow(error: unknown): never {
  throw error instanceof RangeError ? new UsageError(error.message, { cause: error }) : error;
}

/** Runs `/undo-compact`. */
export const undoCompactCommand: CommandBody = {
  async run(argument, surface) {
    const { conversation } = requireOpenSession(surface.session);
    const history = condensationHistory(conversation.events);
    const choices = inForce(conversation.view, history);
    const [newest] = choices;
    if (newest === undefined)
      return surface.say('No condensation is in force: the model reads all of the conversation.');
    const id =
      argument === ''
        ? newest.value
        : argument === 'list'
          ? await surface.choose(`Which one do you take back? ${choiceColumns}`, choices)
          : namedChoice(argument, choices);
    const details = id === undefined ? undefined : history.details(id);
    if (id === undefined || details === undefined) return;
    const before = requestTokens(conversation.view);
    await conversation.revert(id);
    const back = details.forgotten.filter(({ event }) => conversation.view.indexOf(event.id) !== undefined).length;
    surface.say(
      [
        `Taken back: ${condensationPhrase(details)}.`,
        `The model reads ${backPhrase(back, details.masked.length)} again: ${formatTokens(before)} → ${formatTokens(requestTokens(conversation.view))}.`,
        ...(back < details.forgotten.length
          ? [`${formatCount(details.forgotten.length - back, 'event')} stay hidden by other condensations.`]
          : []),
        'No condensation happens now, until you /compact or the window is full. /pin keeps a message or a result even then.',
      ].join('\n'),
    );
  },
  complete: (_, { opened }) => {
    if (opened === undefined) return [];
    const { view, events } = opened.conversation;
    return addressed(inForce(view, condensationHistory(events)));
  },
};

/** Returns the events that the model reads again. */
function backPhrase(events: number, masked: number): string {
  const parts = [
    ...(events > 0 || masked === 0 ? [formatCount(events, 'event')] : []),
    ...(masked > 0 ? [formatCount(masked, 'masked text')] : []),
  ];
  return parts.join(' and ');
}

/** The condensations in force that hide something, the newest first. */
function inForce({ condensations }: View, history: ShownHistory): readonly Choice[] {
  return condensations
    .flatMap(({ id }): readonly Choice[] => {
      const details = history.details(id);
      return details === undefined ? [] : condensationChoice(details);
    })
    .reverse();
}
