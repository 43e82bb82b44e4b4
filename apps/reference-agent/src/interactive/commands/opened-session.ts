import { loadedSkillsSender, skillListSender } from '@palimpsest/agent/prompts';
import type { Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { contextUse, isCondensation, sentThinking } from '@palimpsest/view';
import type { ContextUse, View } from '@palimpsest/view';
import type { OpenedSession } from '../../session/open-session.js';
import { UsageError } from '../../context.js';
import type { InteractiveSession } from '../../session/interactive-session.js';

/** The open session. @throws {@link UsageError} when none is open. */
export function openedSession({ opened, state }: InteractiveSession): OpenedSession {
  if (opened !== undefined) return opened;
  const why = state.type === 'opening' ? 'It is being opened.' : state.type === 'unusable' ? state.problem : '';
  throw new UsageError(`No session is open. ${why}`.trim());
}

/** The view as the model reads it now: with what the condenser hides in the view alone. Calls no model. */
export async function shownView({ conversation, agent }: OpenedSession): Promise<View> {
  const { view } = conversation;
  const { condenser } = agent;
  if (condenser === undefined) return view;
  const result = await condenser.condense(view, { preview: true, contextWindow: agent.llm.contextWindow });
  return isCondensation(result) ? view : result;
}

/** What the next request holds, and how much of each kind. Calls no model. */
export async function nextRequest(opened: OpenedSession): Promise<{ readonly view: View; readonly use: ContextUse }> {
  const view = await shownView(opened);
  const { agent, settings } = opened;
  const { maxTokens } = settings.settings.condenser ?? {};
  const use = contextUse(view, {
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

/** The thinking of a view that the model reads, by the event that carries it. */
export function thinkingRead(
  view: View,
  { agent, conversation }: OpenedSession,
): ReadonlyMap<EventId, readonly string[]> {
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
