import type { Tool } from '@palimpsest/events';
import type { ScenarioText, ScenarioTool } from './scenario-schema.js';
import type { Kill } from './scripted-model.js';

/** The time limit of a call whose result never comes. Unit: milliseconds. */
const shortTimeoutMs = 20;

/** A tool that answers from its script. */
export function scriptedTool({ name, description, results, readOnly, repeatable }: ScenarioTool, kill: Kill): Tool {
  let calls = 0;
  const annotations = {
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(repeatable === undefined ? {} : { repeatable }),
  };
  return {
    name,
    description,
    inputSchema: { type: 'object' },
    annotations,
    ...(results.some((result) => typeof result === 'object' && 'fault' in result) ? { timeoutMs: shortTimeoutMs } : {}),
    parseInput: (input) => input,
    execute: (_input, { signal }) => {
      const result = results[Math.min(calls++, results.length - 1)] ?? '';
      if (typeof result === 'object' && 'error' in result) return { content: result.error, isError: true };
      if (typeof result === 'object' && 'fault' in result)
        return result.fault === 'kill' ? kill() : untilAborted(signal);
      return textOf(result);
    },
  };
}

/** The text of a scenario, repeated as often as it says. */
export function textOf(text: ScenarioText): string {
  return typeof text === 'string' ? text : text.text.repeat(text.repeat);
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
