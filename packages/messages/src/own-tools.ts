import { eventFactory, isKnownContent } from '@palimpsest/events';
import type { ActionEvent, Event, EventId, ImageContent, Tool, ToolOutput } from '@palimpsest/events';
import {
  observationLabel,
  recallTool,
  relevanceCondenser,
  relevanceTool,
  relevanceToolName,
} from '@palimpsest/relevance-tool';
import type { RelevanceToolOptions } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';
import type { LabelOf } from './output/output.js';

/** The options of the tool by which the model names results that it no longer needs. */
export type RelevanceOptions = Pick<RelevanceToolOptions, 'guardrails' | 'marker' | 'apply'>;

/** The answer of a history's tool to a call. */
export interface ToolAnswer {
  readonly text: string;
  /**
   * The content that the host puts into its result, in its own form: the text, or where images and files were recalled
   * the parts of a result.
   */
  readonly content: unknown;
  readonly isError: boolean;
}

/** The tools with which a model asks the history itself, and what they need of it. */
export interface OwnTools {
  readonly tools: readonly Tool[];
  /** The host's condenser; with relevance on, behind the one that applies directives. */
  readonly condenser: Condenser;
  readonly label: LabelOf | undefined;
  /** The directives that follow from an event: they are read from the calls in the list, so they need no store. */
  readonly following: ((event: Event, log: readonly Event[]) => Promise<readonly Event[]>) | undefined;
}

export function ownTools(condenser: Condenser, relevance: RelevanceOptions | undefined): OwnTools {
  if (relevance === undefined) {
    return { tools: [recallTool({ condenser })], condenser, label: undefined, following: undefined };
  }
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

/** An answer of a tool, before it is written for a host. */
export interface OwnAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly images: readonly ImageContent[];
  /** The events that are shown. */
  readonly recalled: readonly EventId[];
}

/** Runs a call against the log of a list that ends with it. */
export async function answerTo(tool: Tool, action: ActionEvent, log: readonly Event[]): Promise<OwnAnswer> {
  try {
    const input: unknown = JSON.parse(action.toolCall.arguments);
    return answerOf(
      await tool.execute(
        tool.parseInput(input),
        contextOf(action, log, () => undefined),
      ),
    );
  } catch (error) {
    return onlyText(error instanceof Error ? error.message : String(error), true);
  }
}

function answerOf(output: ToolOutput): OwnAnswer {
  if (typeof output === 'string') return onlyText(output, false);
  const { content, isError = false, details = {} } = output;
  if (typeof content === 'string') return onlyText(content, isError);
  const ids = details['recalledEventIds'];
  return {
    text: content.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [])).join('\n'),
    isError,
    images: content.flatMap((part) => (isKnownContent(part) && part.type === 'image' ? [part] : [])),
    recalled: Array.isArray(ids) && content.length > 1 ? ids.filter((id) => typeof id === 'string') : [],
  };
}

function onlyText(text: string, isError: boolean): OwnAnswer {
  return { text, isError, images: [], recalled: [] };
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

export function actionOf(log: readonly Event[], toolCallId: string): ActionEvent | undefined {
  return log.findLast((event): event is ActionEvent => event.type === 'action' && isCall(event, toolCallId));
}

function isCall(event: Event, toolCallId: string): boolean {
  return (event as ActionEvent).toolCall.id === toolCallId;
}

function contextOf({ id, toolCall }: ActionEvent, log: readonly Event[], append: (event: Event) => void) {
  return {
    actionId: id,
    toolCallId: toolCall.id,
    log,
    event: (wanted: EventId) => log.find((event) => event.id === wanted),
    append: async (event: Event) => append(event),
  };
}
