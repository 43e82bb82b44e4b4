import { eventFactory } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import {
  observationLabel,
  recallTool,
  relevanceCondenser,
  relevanceTool,
  relevanceToolName,
} from '@palimpsest/relevance-tool';
import type { RelevanceToolOptions } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';
import { assertKnown } from '../options.js';
import type { Names } from '../options.js';
import { actionOf, contextOf } from '../own-tools.js';
import type { HistoryTools, OwnTools } from '../own-tools.js';

export type { HistoryTools } from '../own-tools.js';

/** The options of the tool by which the model names results that it no longer needs. */
export type RelevanceOptions = Pick<RelevanceToolOptions, 'guardrails' | 'marker' | 'apply'>;

/** Options of {@link historyTools}. */
export interface HistoryToolsOptions {
  /**
   * Lets the model say which results it no longer needs: results get a line by which it names them, from the first request on, and
   * there is a tool for it. On or off for a whole conversation. @defaultValue off
   */
  readonly relevance?: true | RelevanceOptions | undefined;
}

const optionNames: Names<HistoryToolsOptions> = { relevance: true };
const relevanceNames: Names<RelevanceOptions> = { guardrails: true, marker: true, apply: true };

/**
 * Returns the tools with which a model asks its history: `recall`, which returns what is hidden, and with
 * {@link HistoryToolsOptions.relevance} `relevance_condenser`.
 *
 * @throws InvalidHistoryOptionsError for an option that does not exist
 *
 * @example
 * ```ts
 * const history = condensedHistory({ condenser, codec: chatMessages(), historyTools: historyTools() });
 * const request = { messages, tools: [...tools, ...history.tools] };
 * ```
 */
export function historyTools(given: HistoryToolsOptions = {}): HistoryTools {
  assertKnown('historyTools', given, optionNames);
  const { relevance } = given;
  assertKnown('relevance', relevance, relevanceNames);
  if (relevance === undefined) return (condenser) => ({ tools: [recallTool({ condenser })], condenser });
  const options = relevance === true ? {} : relevance;
  return (condenser) => withRelevance(condenser, options);
}

function withRelevance(condenser: Condenser, relevance: RelevanceOptions): OwnTools {
  const { apply } = relevance;
  const directives = relevanceCondenser(apply === undefined ? {} : { apply });
  const both: Condenser = {
    ...condenser,
    condense: (view, context) => condenser.condense(directives.condense(view, context), context),
  };
  const tool = relevanceTool({ ...relevance, recall: true });
  return {
    tools: [recallTool({ condenser: both }), tool],
    condenser: both,
    label: observationLabel,
    following: (event, log) => directivesOf(event, log, relevance),
  };
}

async function directivesOf(
  event: Event,
  log: readonly Event[],
  relevance: RelevanceOptions,
): Promise<readonly Event[]> {
  if (event.type !== 'observation') return [];
  const { toolName, toolCallId, isError, id, timestamp } = event;
  if (toolName !== relevanceToolName || isError === true) return [];
  const before = log.slice(0, -1);
  const action = actionOf(before, toolCallId);
  if (action === undefined) return [];
  const made: Event[] = [];
  // The same call makes the same directive whenever its list is read.
  const createEvent = eventFactory({ newId: () => `${id}-directive`, now: () => new Date(timestamp) });
  const tool = relevanceTool({ ...relevance, recall: true, createEvent });
  try {
    const input = tool.parseInput(JSON.parse(action.toolCall.arguments));
    await tool.execute(
      input,
      contextOf(action, before, (directive) => void made.push(directive)),
    );
  } catch {
    // A call that cannot be run has marked nothing.
  }
  return made;
}
