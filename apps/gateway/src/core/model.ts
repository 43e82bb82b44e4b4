import { modelFacts } from '@palimpsest/llm-adapters';
import type { FitOptions } from '@palimpsest/messages';

/** A beta of Claude's that makes its window larger than the model's name tells. */
const longContext = /\bcontext-1m\b/;
const longWindow = 1_000_000;

/** Returns the name of the model that a request states. */
export function modelName(value: unknown): string {
  return typeof value === 'string' ? value : 'unknown';
}

/** Returns the facts of the model that a request states, where they are more than its name: its longest answer, a larger window. */
export function modelOf(name: unknown, maxTokens: unknown, headers: Headers): FitOptions['model'] {
  return {
    model: modelName(name),
    ...(typeof maxTokens === 'number' && maxTokens > 0 ? { maxOutputTokens: maxTokens } : {}),
    ...(isLong(headers) ? { contextWindow: longWindow } : {}),
  };
}

/** Returns the model's window. Unit: tokens. Undefined if it is not known. */
export function windowOf(name: string, headers: Headers): number | undefined {
  return isLong(headers) ? longWindow : modelFacts(name, 'compatible').contextWindow;
}

function isLong(headers: Headers): boolean {
  return longContext.test(headers.get('anthropic-beta') ?? '');
}
