import { adk } from './adk.js';
import { anthropicClearToolUses } from './anthropic-clear-tool-uses.js';
import { langchainClearToolUses } from './langchain-clear-tool-uses.js';
import { langchainSummarization } from './langchain-summarization.js';
import { opencode } from './opencode.js';
import { openhands } from './openhands.js';
import type { Rival } from './rival.js';
import { strandsSlidingWindow } from './strands-sliding-window.js';
import { strandsSummarizing } from './strands-summarizing.js';

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

/** The rival of a name, as in `rival:openhands`. */
export function rivalOf(name: string): Rival | undefined {
  return rivals.find((rival) => rival.name === name);
}
