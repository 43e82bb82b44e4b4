import {
  isErrorResult,
  meaningfulContent,
  messageContent,
  systemPromptContent,
  toolResultContent,
} from '@palimpsest/events';
import type { KnownContent, LLMConvertibleEvent, MessageEvent } from '@palimpsest/events';

/**
 * The full content of an event, for a model that writes a summary: a message with its source, a call with its name and arguments,
 * a result with its tool and whether it failed. Thinking is left out; images are named.
 */
export function eventText(event: LLMConvertibleEvent): string {
  return neutralised(textOf(event));
}

/** Escapes text that looks like a prompt's tags, so that the model does not take it for the prompt itself. */
export function neutralised(text: string): string {
  // Most texts contain no tag, and a search for one character is much faster.
  if (!text.includes('<')) return text;
  return text.replaceAll(/<(\/?)(event|previous_summary|user_words|user_focus|facts)\b/gi, '<$1 $2');
}

function textOf(event: LLMConvertibleEvent): string {
  switch (event.type) {
    case 'system-prompt':
      return `system prompt: ${joined(systemPromptContent(event))}`;
    case 'message':
      return `${speakerOf(event)}: ${joined(messageContent(event))}`;
    case 'action': {
      const { name, arguments: input } = event.toolCall;
      const thought = joined(meaningfulContent(event.thought));
      return `${thought === '' ? '' : `${thought}\n`}call of ${name}: ${input}`;
    }
    case 'observation':
    case 'user-reject-observation':
    case 'agent-error':
      return `${isErrorResult(event) ? 'failed result' : 'result'} of ${event.toolName}: ${joined(toolResultContent(event))}`;
    case 'condensation-summary':
      return event.summary;
  }
}

/** A source that this version does not know is shown as neither the user nor the agent. */
function speakerOf({ source }: MessageEvent): string {
  return source === 'user' || source === 'agent' ? source : 'environment';
}

function joined(parts: readonly KnownContent[]): string {
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text') return only.text.trim();
  return parts
    .map((part) => (part.type === 'text' ? part.text : '[image]'))
    .join('\n')
    .trim();
}
