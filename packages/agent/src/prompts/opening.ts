import { createEvent as createDefaultEvent, isMeaningful, isUserMessage } from '@palimpsest/events';
import type {
  ContentPart,
  CreateEvent,
  Event,
  MessageEvent,
  SystemPromptEvent,
  ToolDefinition,
} from '@palimpsest/events';

/**
 * Returns the events to append so that these instructions and tools are in force in a log: one, or none if the newest
 * `system-prompt` is already the same or if there are no instructions and tools. In an imported log the event is appended at the
 * end, and views put it first. Existing events are not changed.
 */
export function ensureSystemPrompt(
  events: Iterable<Event>,
  options: {
    readonly systemPrompt: string;
    /** The part that changes between conversations. It comes last, so that the rest can be cached. @defaultValue none */
    readonly dynamicContext?: string;
    /** @defaultValue none */
    readonly tools?: readonly ToolDefinition[];
    readonly createEvent?: CreateEvent;
  },
): readonly SystemPromptEvent[] {
  const { systemPrompt, dynamicContext = '', tools = [], createEvent = createDefaultEvent } = options;
  if (systemPrompt.trim() === '' && dynamicContext.trim() === '' && tools.length === 0) return [];
  const wanted = createEvent('system-prompt', {
    systemPrompt,
    ...(dynamicContext === '' ? {} : { dynamicContext }),
    ...(tools.length === 0 ? {} : { tools: [...tools] }),
  });
  const inForce = [...events].findLast((event): event is SystemPromptEvent => event.type === 'system-prompt');
  // Compared in the form that the log would hold: the masking of secrets can have changed it.
  return inForce !== undefined && saysTheSame(inForce, wanted) ? [] : [wanted];
}

function saysTheSame(one: SystemPromptEvent, other: SystemPromptEvent): boolean {
  const said = ({ systemPrompt, dynamicContext = '', tools = [] }: SystemPromptEvent) =>
    JSON.stringify([systemPrompt, dynamicContext, tools]);
  return said(one) === said(other);
}

/**
 * Returns the events to append so that a log has a user message: one, or none if the log already holds one. A user message that a
 * condensation has forgotten is still in the log.
 */
export function ensureInitialUserMessage(
  events: Iterable<Event>,
  options: { readonly content: string | readonly ContentPart[]; readonly createEvent?: CreateEvent },
): readonly MessageEvent[] {
  const { content, createEvent = createDefaultEvent } = options;
  for (const event of events) {
    if (isUserMessage(event) && event.content.some(isMeaningful)) return [];
  }
  return [
    createEvent('message', {
      source: 'user',
      role: 'user',
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : [...content],
    }),
  ];
}
