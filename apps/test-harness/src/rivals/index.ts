import { anthropicClearToolUses, langchainClearToolUses } from './clear-results.js';
import { opencode } from './opencode.js';
import type { Rival } from './rival.js';
import { strandsSlidingWindow, strandsSummarizing } from './strands.js';
import { adk, langchainSummarization, openhands } from './summaries.js';

/** Policies of other projects. Each is a file. */
export const rivals: readonly Rival[] = [
  openhands,
  anthropicClearToolUses,
  opencode,
  adk,
  langchainSummarization,
  langchainClearToolUses,
  strandsSlidingWindow,
  strandsSummarizing,
];

/** Returns the rival of a name, as in `rival:openhands`. */
export function rivalOf(name: string): Rival | undefined {
  return rivals.find((rival) => rival.name === name);
}
