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
  switch (event.type) {
    case 'system-prompt':
      return `system prompt: ${joined(systemPromptContent(event))}`;
    case 'message':
      return `${speakerOf(event)}: ${joined(messageContent(event))}`;
    case 'action': {
      const { name, arguments: input } = event.toolCall;
      const thought = joined(meaningfulContent(event.thought));
      return `${thought === '' ? '' : `${thought}\n`}call of ${neutralised(name)}: ${neutralised(input)}`;
    }
    case 'observation':
    case 'user-reject-observation':
    case 'agent-error': {
      const result = isErrorResult(event) ? 'failed result' : 'result';
      return `${result} of ${neutralised(event.toolName)}: ${joined(toolResultContent(event))}`;
    }
    case 'condensation-summary':
      return neutralised(event.summary);
  }
}

/** Escapes text that looks like a prompt's tags, so that the model does not take it for the prompt itself. */
export function neutralised(text: string): string {
  // Most texts contain no tag, and a search for one character is much faster.
  if (!text.includes('<')) return text;
  return text.replaceAll(/<(\/?)(event|previous_summary|user_words|user_focus|facts)\b/gi, '<$1 $2');
}

/** A source that this version does not know is shown as neither the user nor the agent. */
function speakerOf({ source }: MessageEvent): string {
  return source === 'user' || source === 'agent' ? source : 'environment';
}

/**
 * The texts of parts, neutralised. The text of an event is put together from neutralised pieces: a search in the whole would first
 * copy it, and no tag reaches across what stands between the pieces.
 */
function joined(parts: readonly KnownContent[]): string {
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text') return neutralised(only.text.trim());
  return neutralised(
    parts
      .map((part) => (part.type === 'text' ? part.text : '[image]'))
      .join('\n')
      .trim(),
  );
}
