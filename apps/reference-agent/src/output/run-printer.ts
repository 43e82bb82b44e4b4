import { isToolResult, sliceText, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, Condensation, ContentPart, Event, EventId, ToolResultEvent } from '@palimpsest/events';
import { ViewProjection } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { Colours } from '@palimpsest/terminal';

const longestArgument = 72;
const numbers = new Intl.NumberFormat('en-US');

/** Writes a number as people read it. */
export function shown(count: number): string {
  return numbers.format(count);
}

/**
 * Prints a line or two for each event of a run: words of the model, each call with the size of its result, each condensation
 * with the numbers of forgotten and masked events. Call it with every event, in order.
 */
export class RunPrinter {
  readonly #print: (line: string) => void;
  readonly #colors: Colours;
  readonly #view = new ViewProjection();
  readonly #open = new Map<EventId, ActionEvent>();
  #steps = 0;
  #condensations = 0;

  constructor(options: { readonly print: (line: string) => void; readonly colors: Colours }) {
    this.#print = options.print;
    this.#colors = options.colors;
  }

  follow(event: Event): void {
    const before = this.#view.view;
    this.#view.append(event);
    if (event.type === 'action') this.#action(event);
    else if (event.type === 'message' && event.source === 'agent') this.#says(event.content);
    else if (isToolResult(event)) this.#result(event);
    else if (event.type === 'condensation') this.#condensation(event, before, this.#view.view);
    else if (event.type === 'condensation-request')
      this.#note(`condensation asked for: ${event.reason ?? 'by the user'}`);
    else if (event.type === 'conversation-error') this.#note(`the run failed: ${event.detail}`);
  }

  #action(event: ActionEvent): void {
    if (this.#view.view.responseOf(event.id) === event.id) this.#says(event.thought);
    this.#open.set(event.id, event);
  }

  #says(content: readonly ContentPart[]): void {
    this.#steps++;
    const words = oneLine(content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' '), 110);
    this.#print(`${this.#colors.bold(String(this.#steps).padStart(3))}  ${words}`);
  }

  #result(event: ToolResultEvent): void {
    const action = event.actionId === undefined ? undefined : this.#open.get(event.actionId);
    if (action === undefined) return;
    this.#open.delete(action.id);
    const failed = event.type !== 'observation' || event.isError === true;
    const size = `${shown(charactersIn(toolResultContent(event)))} characters`;
    const status = exitStatusOf(event);
    const ending = [status === undefined ? [] : `exit ${status}`, failed ? 'an error' : [], size].flat().join(', ');
    const { dim, red, yellow } = this.#colors;
    const color = failed ? red : status !== undefined && status !== 0 ? yellow : dim;
    this.#print(`     ${callInWords(action)} ${color(`→ ${ending}`)}`);
  }

  #condensation(event: Condensation, before: View, after: View): void {
    this.#condensations++;
    const { magenta, dim } = this.#colors;
    const sizes = `${shown(before.tokens())} → ${shown(after.tokens())} tokens`;
    this.#print(magenta(`  ◆  condensation ${this.#condensations}: ${sizes}${reasonOf(event)}`));
    const redactions = event.redactions ?? [];
    for (const { eventId } of redactions) this.#print(dim(`     masked ${nameOf(eventId, before)}`));
    if (event.forgottenEventIds.length > 0) {
      const summary =
        event.summary === undefined
          ? ''
          : `; a summary of ${shown(event.summary.length)} characters stands in their place`;
      this.#print(dim(`     forgot ${event.forgottenEventIds.length} events${summary}`));
    }
  }

  #note(text: string): void {
    this.#print(this.#colors.yellow(`  !  ${text}`));
  }
}

function callInWords({ toolCall }: ActionEvent): string {
  const { path, pattern, command } = parsed(toolCall.arguments);
  const argument = [pattern, path, command].find((value) => typeof value === 'string');
  return argument === undefined ? toolCall.name : `${toolCall.name} ${oneLine(String(argument), longestArgument)}`;
}

function parsed(json: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** A masked event in words: its call, and its size in the view. */
function nameOf(eventId: EventId, before: View): string {
  const event = before.original(eventId);
  const index = before.indexOf(eventId);
  const size = index === undefined ? '' : ` (${shown(before.tokens(index, index + 1))} tokens)`;
  if (event?.type === 'action') return `the arguments of ${callInWords(event)}${size}`;
  if (event?.type !== 'observation') return `${event?.type ?? eventId}${size}`;
  const action = event.actionId === undefined ? undefined : before.original(event.actionId);
  return `${action?.type === 'action' ? callInWords(action) : event.toolName}${size}`;
}

/** The reasons of `priced` in words. */
const reasons: Readonly<Record<string, string>> = {
  rent: 'to read on would cost more than to write the rest anew',
  cold: 'the prompt cache is cold',
  tokens: 'the window is full',
};

function reasonOf({ metadata }: Condensation): string {
  const { condenser, reason } = metadata ?? {};
  const words = typeof reason === 'string' ? (reasons[reason] ?? reason) : undefined;
  const parts = [condenser, words].filter((part) => typeof part === 'string');
  return parts.length === 0 ? '' : ` (${parts.join(': ')})`;
}

function exitStatusOf(event: ToolResultEvent): number | undefined {
  const status = event.type === 'observation' ? event.details?.exitStatus : undefined;
  return typeof status === 'number' ? status : undefined;
}

function charactersIn(content: readonly ContentPart[]): number {
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

function oneLine(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${sliceText(line, 0, longest - 1)}…`;
}
