import { parseEvent } from '@palimpsest/events';
import type { Event, MessageEvent, Tool } from '@palimpsest/events';
import { isPin } from '@palimpsest/view';
import { ToolEventRefusedError } from '../errors.js';

/** The `sender` of the messages that a tool appends. */
export function toolSender(toolName: string): string {
  return `tool/${toolName}`;
}

/**
 * Checks an event that a tool appends. Allowed are a namespaced type that the tool declares, a `condensation-request`, and a
 * message of the environment, which is marked with {@link toolSender}. A loop of your own calls it in `ToolContext.append`.
 *
 * @throws {@link ToolEventRefusedError} for any other event: a condensation, a revert, a pin, a confirmation, a result, words
 *   of the user or the agent; InvalidEventError when it is not an event.
 */
export function toolEvent(event: unknown, tool: Pick<Tool, 'name' | 'eventTypes'>): Event {
  const parsed = parseEvent(event);
  const reason = refusal(parsed, tool);
  if (reason !== undefined) throw new ToolEventRefusedError(tool.name, parsed.type, reason);
  return parsed.type === 'message' ? Object.freeze({ ...parsed, sender: toolSender(tool.name) }) : parsed;
}

function refusal(event: Event, { name, eventTypes = [] }: Pick<Tool, 'name' | 'eventTypes'>): string | undefined {
  if (isPin(event)) return 'only the user and the application pin';
  if (event.source === 'user') return 'only the user speaks for the user';
  if (event.type === 'condensation-request') return undefined;
  if (event.type === 'message') return messageRefusal(event, name);
  const declared: readonly string[] = eventTypes;
  if (event.type.includes('/') && declared.includes(event.type)) return undefined;
  return event.type.includes('/')
    ? `it does not stand among the tool's eventTypes (${declared.join(', ') || 'none'})`
    : 'a tool appends its own namespaced events, a condensation-request, and messages of the environment';
}

/** A tool must not claim that the model was shown a skill, or that a message is the model's. */
function messageRefusal(event: MessageEvent, name: string): string | undefined {
  if (event.source !== 'environment' || event.role !== 'user') {
    return "a tool's message has the source 'environment' and the role 'user'";
  }
  const isForeign = event.sender !== undefined && event.sender !== name && event.sender !== toolSender(name);
  if (isForeign) return `its sender '${event.sender}' is not the tool`;
  const { activatedSkills, llmResponseId, cutOff, thinkingBlocks, reasoningItems, reasoningContent } = event;
  const claims = [activatedSkills, llmResponseId, cutOff, thinkingBlocks, reasoningItems, reasoningContent];
  return claims.every((claim) => claim === undefined)
    ? undefined
    : 'it claims to be an answer of the model, or a skill';
}
