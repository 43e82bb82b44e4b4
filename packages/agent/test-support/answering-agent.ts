import { defineTool } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { z } from 'zod';
import { Agent } from '../src/agent.js';

/** The number of calls in its first answer. With the usage the answer is one event more. */
export const callsInAnswer = 12;

/** Returns an agent whose model makes its calls in one answer, and is done when it reads results. */
export function answeringAgent(on: { readonly answer?: () => void; readonly run?: () => void } = {}): Agent {
  const tool = defineTool({
    name: 'write',
    description: 'Writes.',
    input: z.object({ text: z.string() }),
    execute: () => {
      on.run?.();
      return 'written';
    },
  });
  // Each of them is different, so that they are not taken for a loop.
  const toolCalls = Array.from({ length: callsInAnswer }, (_, index) => ({
    name: 'write',
    arguments: { text: `${index}`.repeat(20_000) },
  }));
  const llm = scriptedLLM({
    script: ({ messages }) => {
      if (messages.some(({ role }) => role === 'tool')) return 'Done.';
      on.answer?.();
      return { text: 'I write.', toolCalls };
    },
  });
  return new Agent({ llm, tools: [tool] });
}
