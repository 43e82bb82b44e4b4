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
 * The events to append so that a log has these instructions and tools in force: one, or none where the newest
 * `system-prompt` says the same already, or where there is nothing to say. A log from elsewhere gets it at its end and is read
 * with it in front; the log itself is not changed.
 */
export function ensureSystemPrompt(
  events: Iterable<Event>,
  options: {
    readonly systemPrompt: string;
    /** What changes between conversations; it stands last, so that the rest can be cached. @defaultValue none */
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
  // As it would stand in the log: a mask of secrets may have changed it.
  return inForce !== undefined && saysTheSame(inForce, wanted) ? [] : [wanted];
}

function saysTheSame(one: SystemPromptEvent, other: SystemPromptEvent): boolean {
  const said = ({ systemPrompt, dynamicContext = '', tools = [] }: SystemPromptEvent) =>
    JSON.stringify([systemPrompt, dynamicContext, tools]);
  return said(one) === said(other);
}

/**
 * The events to append so that the user has said something: one, or none where words of the user stand anywhere in the log.
 * A log that only a condensation has hidden them in still has them.
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
