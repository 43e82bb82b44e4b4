import { createEvent as createDefaultEvent } from '@palimpsest/events';
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
  const inForce = [...events].findLast((event): event is SystemPromptEvent => event.type === 'system-prompt');
  const isInForce =
    inForce?.systemPrompt === systemPrompt &&
    (inForce.dynamicContext ?? '') === dynamicContext &&
    JSON.stringify(inForce.tools ?? []) === JSON.stringify(tools);
  if (isInForce) return [];
  return [
    createEvent('system-prompt', {
      systemPrompt,
      ...(dynamicContext === '' ? {} : { dynamicContext }),
      ...(tools.length === 0 ? {} : { tools: [...tools] }),
    }),
  ];
}

/**
 * The events to append so that the user has said something: one, or none where a message of the user stands anywhere in the
 * log. A log that only a condensation has hidden it in still has it.
 */
export function ensureInitialUserMessage(
  events: Iterable<Event>,
  options: { readonly content: string | readonly ContentPart[]; readonly createEvent?: CreateEvent },
): readonly MessageEvent[] {
  const { content, createEvent = createDefaultEvent } = options;
  for (const event of events) if (event.type === 'message' && event.source === 'user') return [];
  return [
    createEvent('message', {
      source: 'user',
      role: 'user',
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : [...content],
    }),
  ];
}
