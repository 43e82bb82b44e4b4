import { isKnownContent } from '@palimpsest/events';
import type { ActionEvent, Event, EventId, ImageContent, Tool, ToolOutput } from '@palimpsest/events';
import type { Condenser } from '@palimpsest/view';
import type { LabelOf } from './output/output.js';

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

/**
 * Tools with which the model asks the history itself, given the condenser of the host: `historyTools()` of `@palimpsest/messages/tools`
 * makes them. They stand in an entry of their own, because a host that offers none need not load them.
 */
export type HistoryTools = (condenser: Condenser) => OwnTools;

/** The tools of a history, with the condenser and the functions that they bring. */
export interface OwnTools {
  readonly tools: readonly Tool[];
  /** The host's condenser; with relevance on, behind the one that applies directives. */
  readonly condenser: Condenser;
  /** The line behind a result by which the model names it. @defaultValue none */
  readonly label?: LabelOf | undefined;
  /** The directives that follow from an event: they are read from the calls in the list, so they need no store. @defaultValue none */
  readonly following?: ((event: Event, log: readonly Event[]) => Promise<readonly Event[]>) | undefined;
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

export function actionOf(log: readonly Event[], toolCallId: string): ActionEvent | undefined {
  return log.findLast((event): event is ActionEvent => event.type === 'action' && isCall(event, toolCallId));
}

function isCall(event: Event, toolCallId: string): boolean {
  return (event as ActionEvent).toolCall.id === toolCallId;
}

export function contextOf({ id, toolCall }: ActionEvent, log: readonly Event[], append: (event: Event) => void) {
  return {
    actionId: id,
    toolCallId: toolCall.id,
    log,
    event: (wanted: EventId) => log.find((event) => event.id === wanted),
    append: async (event: Event) => append(event),
  };
}
