import type { CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer } from '@palimpsest/llm-adapters/testing';

/**
 * Returns a model that answers at once, with a text, the fields of a tool, or a ranking, and keeps none of what it was
 * asked.
 */
export function standInLLM(): LLM {
  return { model: 'stand-in', complete: (request) => scriptedLLM({ script: [answerTo(request)] }).complete(request) };
}

/** Returns a model that never answers. */
export function hangingLLM(): LLM {
  return { model: 'hanging', complete: () => new Promise(() => undefined) };
}

function answerTo({ tools = [], responseFormat }: CompletionRequest): ScriptedAnswer {
  const [tool] = tools;
  if (tool !== undefined) {
    const input = { user_context: 'The task.', completed_tasks: 'Steps.', pending_tasks: 'More steps.' };
    return { toolCalls: [{ name: tool.name, arguments: input }] };
  }
  if (responseFormat === undefined) return 'What happened, in a few words.';
  return JSON.stringify({ ids: Array.from({ length: 60 }, (_, index) => 2 * index + 1) });
}
