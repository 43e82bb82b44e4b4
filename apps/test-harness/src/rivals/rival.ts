import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';

/** A description of each rival, with the version that its numbers are of. No code, so that `--help` loads none. */
export const rivalDescriptions = {
  'rival:openhands': {
    version: 'software-agent-sdk 611629e6',
    about: 'above 120 events a summary by a model, down to 60',
  },
  'rival:anthropic-clear-tool-uses': {
    version: 'clear_tool_uses_20250919',
    about: 'from 100,000 tokens on, only the newest 3 results',
  },
  'rival:opencode': {
    version: 'opencode 1.18.33',
    about:
      'after a request, results behind the newest 40,000 tokens of them if that frees 20,000; a full window: a summary by a model',
  },
  'rival:adk': {
    version: 'google/adk-python 1.x',
    about: 'after 3 requests of the user a summary by a model, with an overlap of 1',
  },
  'rival:langchain-summarization': {
    version: 'langchain 1.5.14',
    about: 'at 80 % of the window a summary by a model of all but the newest 20 messages',
  },
  'rival:langchain-clear-tool-uses': {
    version: 'langchain 1.5.14',
    about: 'above 100,000 tokens, clears all but the newest 3 results',
  },
  'rival:strands-sliding-window': {
    version: '@strands-agents/sdk 1.19.0',
    about: 'after a request, or when the window is full, the newest 40 messages',
  },
  'rival:strands-summarizing': {
    version: '@strands-agents/sdk 1.19.0',
    about: 'when the window is full, a summary by a model of the oldest 30 %',
  },
} as const;

/** The name of a rival, as a command line has it. */
export type RivalName = keyof typeof rivalDescriptions;

/** The names of all rivals. */
export const rivalNames = Object.keys(rivalDescriptions) as readonly RivalName[];

/** The name of all rivals together. */
export const allRivals = 'rivals';

/** Formats the rivals as lines of a help text. */
export function rivalList(): string {
  const width = Math.max(...rivalNames.map((name) => name.length));
  const lines = rivalNames.map((name) => {
    const { version, about } = rivalDescriptions[name];
    return `  ${name.padEnd(width)}  ${about} (${version})`;
  });
  return `\nPolicies of other projects, rewritten as condensers:\n${lines.join('\n')}\n  ${allRivals.padEnd(width)}  all of these`;
}

/** The policy of another project, rewritten as a condenser, so that it is measured on the same sessions as ours. */
export interface Rival {
  readonly name: RivalName;
  /** @param llm - the model of those that ask one */
  readonly create: (llm: LLM) => Condenser;
}
