import { loadedSkillsSender, skillListSender } from '@palimpsest/agent/prompts';
import type { Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { totalInputTokens } from '@palimpsest/llm-adapters';
import { isCondensation } from '@palimpsest/view';
import { sentThinking } from '@palimpsest/view/inspect';
import type { View } from '@palimpsest/view';
import type { ContextKind, ContextPart, ContextUse } from '@palimpsest/view/inspect';
import type { OpenedSession } from '../session/open-session.js';
import { SessionFigures } from '../output/figures.js';
import type { CacheBreak, Comparison } from '../output/figures.js';
import { formatCount, alignColumns, formatShare, formatTokens, formatNumber, formatDollars } from '../output/lines.js';
import type { Page, Line } from '../output/lines.js';
import { rereadPhrase } from '../output/condensation-lines.js';
import { reasonPhrase } from '../output/condensation-phrases.js';
import { eventPhrase, unpricedPhrase } from '../output/phrases.js';
import { requestUse } from '../output/request-size.js';
import { viewPage } from '../output/view-lines.js';
import { requireOpenSession } from './command.js';
import type { CommandBody } from './command.js';

const partNames: Readonly<Record<ContextKind, string>> = {
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

/** Runs `/context`. */
export const contextCommand: CommandBody = {
  async run(_, surface) {
    const opened = requireOpenSession(surface.session);
    const { view, use } = await nextRequest(opened);
    await surface.show(contextPage(view, use, opened));
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
        const words = event === undefined ? '' : eventPhrase(event, view.callOf(event.id));
        return { text: `${address}  ${formatTokens(size).padStart(14)}  ${words}` };
      }),
      { text: '' },
      {
        text: 'Sizes are estimates, corrected by what the provider counted. /view shows the text; /pin and an address keeps it; /compact makes room.',
        style: 'dim',
      },
    ],
  };
}

function nameOf({ kind, toolName }: ContextPart, tools: number): string {
  if (kind === 'results') return `results of ${toolName ?? ''}`;
  return kind === 'tools' ? `${partNames.tools} (${tools})` : partNames[kind];
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

/** Runs `/view`. */
export const viewCommand: CommandBody = {
  async run(_, surface) {
    const opened = requireOpenSession(surface.session);
    const view = await shownView(opened);
    await surface.show(viewPage(view, opened.conversation.events, thinkingRead(view, opened)));
  },
};

/** Runs `/cost`. */
export const costCommand: CommandBody = {
  async run(_, surface) {
    const { conversation } = requireOpenSession(surface.session);
    await surface.show(costPage(new SessionFigures(conversation.events)));
  },
};

/** Returns the costs of a session. */
function costPage(figures: SessionFigures): Page {
  const { bills, comparison, cacheBreaks, costUsd, unpriced, cachedShare, saved, reread } = figures;
  const assumed = unpriced.filter((model) => !comparison.pricedAs.includes(model));
  if (bills.length === 0) return { title: 'Cost', lines: [{ text: 'No model was asked yet.' }] };
  const rows = bills.map(({ model, purpose, calls, usage, costUsd: cost }) => [
    `${purpose}, ${model}`,
    `${formatNumber(calls)}`,
    formatNumber(totalInputTokens(usage)),
    formatShare(usage.cacheReadTokens / Math.max(1, totalInputTokens(usage))),
    formatNumber(usage.outputTokens),
    formatDollars(cost),
  ]);
  return {
    title: `Cost: ${costUsd === undefined ? 'not known' : formatDollars(costUsd)}, ${formatShare(cachedShare)} of the agent's input from the cache`,
    lines: [
      ...alignColumns([['', 'calls', 'tokens in', 'cached', 'tokens out', 'cost'], ...rows]).map(headed),
      ...unpricedLines(figures),
      { text: '' },
      { text: 'With and without condensation', style: 'strong' },
      ...(comparison.condensations === 0
        ? [{ text: 'Nothing was condensed.' }]
        : [...comparisonLines(comparison, saved), rereadLine(reread)]),
      {
        text: `Estimates for ${formatCount(comparison.steps, 'model call')} at the prices of ${comparison.pricedAs.join(' and ')}${assumed.length === 0 ? '' : `, because those of ${assumed.join(' and ')} are not known`}, with a prompt cache that holds the request before.`,
        style: 'dim',
      },
      { text: '' },
      { text: 'What broke the prompt cache', style: 'strong' },
      ...(cacheBreaks.length === 0
        ? [{ text: 'Nothing: each request began with the one before.' }]
        : cacheBreaks.map(({ cause, rewrittenTokens }) => ({
            text: `${causePhrase(cause)}: ${formatTokens(rewrittenTokens)} written again`,
          }))),
    ],
  };
}

/** Without it a cost that is not known looks as if there were none. */
function unpricedLines({ bills, unpriced }: SessionFigures): readonly Line[] {
  if (unpriced.length === 0) return [];
  const known = bills.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
  const rest = known === 0 ? '' : ` The other calls cost ${formatDollars(known)}.`;
  return [{ text: `${unpricedPhrase(unpriced)}${rest}`, style: 'strong' }];
}

function comparisonLines(
  { tokensSent, tokensUncondensed, peakSent, peakUncondensed, costUsd, costUncondensedUsd }: Comparison,
  saved: SessionFigures['saved'],
): readonly Line[] {
  const rounded = (tokens: number) => formatNumber(Math.round(tokens));
  return alignColumns([
    ['', 'condensed', 'without', 'saved'],
    ['tokens sent', rounded(tokensSent), rounded(tokensUncondensed), formatShare(saved.tokens)],
    ['largest request', rounded(peakSent), rounded(peakUncondensed), ''],
    ['cost', formatDollars(costUsd), formatDollars(costUncondensedUsd), formatShare(saved.bill)],
  ]).map(headed);
}

function rereadLine(reread: SessionFigures['reread']): Line {
  const share = reread.calls === 0 ? '' : `, ${formatShare(reread.bill)} of the cost`;
  return { text: `Read again after it was hidden: ${rereadPhrase(reread)}${share}.` };
}

function headed(text: string, index: number): Line {
  return index === 0 ? { text, style: 'dim' } : { text };
}

function causePhrase(cause: CacheBreak['cause']): string {
  if (cause?.type === 'condensation') return `condensation, ${reasonPhrase(cause.metadata ?? {})}`;
  if (cause?.type === 'condensation-revert') return 'a condensation was taken back';
  return cause?.type === 'system-prompt' ? 'the instructions or the tools have changed' : 'the history was changed';
}

/** Returns the view as the model reads it now: with what the condenser hides in the view alone. Calls no model. */
export async function shownView({ conversation, agent }: OpenedSession): Promise<View> {
  const { view } = conversation;
  const { condenser } = agent;
  if (condenser === undefined) return view;
  const result = await condenser.condense(view, { preview: true, contextWindow: agent.llm.contextWindow });
  return isCondensation(result) ? view : result;
}

/** Returns the content of the next request, and how much of each kind it has. Calls no model. */
export async function nextRequest(opened: OpenedSession): Promise<{ readonly view: View; readonly use: ContextUse }> {
  const view = await shownView(opened);
  const { agent, settings } = opened;
  const { maxTokens } = settings.settings.condenser ?? {};
  const use = requestUse(view, {
    contextWindow: agent.llm.contextWindow,
    ...(typeof maxTokens === 'number' ? { threshold: maxTokens } : {}),
    thinking: thinkingRead(view, opened),
    kindOf: (event) => (isSkillText(event) ? 'skills' : undefined),
  });
  return { view, use };
}

/** The list of skills, and the texts of those that the model loaded. */
function isSkillText(event: LLMConvertibleEvent): boolean {
  return event.type === 'message'
    ? event.sender === skillListSender || event.sender === loadedSkillsSender
    : event.type === 'observation' && typeof event.details?.['loadedSkill'] === 'string';
}

/** Returns the thinking of a view that the model reads, by the event that carries it. */
function thinkingRead(view: View, { agent, conversation }: OpenedSession): ReadonlyMap<EventId, readonly string[]> {
  const { provider, thinkingControl, plainReasoning = 'never' } = agent.llm.facts ?? {};
  return sentThinking(view, {
    thinking: isThinkingOff(conversation.events.slice()) ? 'none' : agent.thinking,
    // A model that does not think by itself is sent none, because the settings cannot turn it on.
    signed: provider === 'anthropic' && thinkingControl !== 'none' && thinkingControl !== 'manual',
    plain: plainReasoning,
  });
}

/** The provider has refused the history with its thinking, and accepted it without. */
function isThinkingOff(log: readonly Event[]): boolean {
  return log.some((event) => event.type === 'conversation-state-update' && event.key === 'thinking');
}
