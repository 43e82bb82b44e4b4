import type { ContextKind, ContextPart, ContextUse, View } from '@palimpsest/view';
import type { OpenedSession } from '../../open-session.js';
import type { Page, Line } from '../../output/lines.js';
import { callOf, eventPhrase } from '../../output/phrases.js';
import { formatCount, alignColumns, formatShare, formatTokens } from '../../output/lines.js';
import { nextRequest, openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

const kinds: Readonly<Record<ContextKind, string>> = {
  instructions: 'instructions',
  tools: 'tool definitions',
  context: 'workspace and framework',
  skills: 'skills',
  user: 'your words',
  model: "the model's words",
  thinking: "the model's thinking",
  calls: 'calls',
  results: 'results',
  summaries: 'summaries',
  notes: 'notes for masked text',
  'not-sent': 'kept, but not sent',
};

/** `/context`. */
export const contextCommand: CommandWork = {
  async run(_, screen) {
    const opened = openedSession(screen.session);
    const { view, use } = await nextRequest(opened);
    await screen.show(contextPage(view, use, opened));
  },
};

function contextPage(view: View, use: ContextUse, { agent }: OpenedSession): Page {
  const { contextWindow } = agent.llm;
  const whole = Math.max(1, use.sentTokens);
  const sent = use.parts.filter(({ kind }) => kind !== 'not-sent');
  const notSent = use.tokens - use.sentTokens;
  const rows = sent.map((part) => [
    nameOf(part, agent.tools.size),
    formatTokens(part.tokens),
    formatShare(part.tokens / whole),
    formatCount(part.events, 'event'),
  ]);
  return {
    title: `Context: ${formatTokens(use.sentTokens)}${contextWindow === undefined ? '' : ` of ${formatTokens(contextWindow)} (${formatShare(use.sentTokens / contextWindow)})`}`,
    lines: [
      ...alignColumns(rows).map((text): Line => ({ text })),
      ...(notSent > 0
        ? [{ text: `Kept, and not sent: ${formatTokens(notSent)}, such as old thinking`, style: 'dim' } as const]
        : []),
      { text: '' },
      ...freeLines(use, agent.condenser?.name),
      { text: '' },
      { text: 'The largest', style: 'strong' },
      ...use.largest.map(({ index, address, sentTokens: size }): Line => {
        const event = view.events.at(index);
        const words = event === undefined ? '' : eventPhrase(event, callOf(event, view));
        return { text: `${address}  ${formatTokens(size).padStart(14)}  ${words}` };
      }),
      { text: '' },
      {
        text: 'Sizes are estimates. /view shows the text; /pin and an address keeps it; /compact makes room.',
        style: 'dim',
      },
    ],
  };
}

function nameOf({ kind, toolName }: ContextPart, tools: number): string {
  if (kind === 'results') return `results of ${toolName ?? ''}`;
  return kind === 'tools' ? `${kinds.tools} (${tools})` : kinds[kind];
}

function freeLines({ untilWindow, untilThreshold }: ContextUse, condenser: string | undefined): readonly Line[] {
  const left = (count: number, of: string): string =>
    count >= 0 ? `${formatTokens(count)} free until ${of}` : `${formatTokens(-count)} over ${of}`;
  return [
    ...(untilThreshold === undefined ? [] : [{ text: left(untilThreshold, 'the limit of the condenser') }]),
    ...(untilWindow === undefined
      ? [{ text: 'The window of the model is not known.' }]
      : [{ text: left(untilWindow, 'the window is full') }]),
    ...(condenser === 'priced'
      ? [{ text: 'The condenser acts before that, as soon as it is cheaper than to read on.', style: 'dim' } as const]
      : []),
  ];
}
