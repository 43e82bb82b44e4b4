import type { AssistantMessage, ContentPart, Message, ToolMessage } from '@palimpsest/events';
import { estimateUsage } from '@palimpsest/llm-adapters';
import type { LLM } from '@palimpsest/llm-adapters';

/** The work of a model without a provider, as data: `sample-project-plan.json`. */
export interface Plan {
  /** The user's message. */
  readonly task: string;
  /** The command that tests the project. */
  readonly test: string;
  /** Texts that the model can only know from its messages, by name. `{{name}}` in a call stands for one. */
  readonly known: Readonly<Record<string, KnownText>>;
  readonly steps: readonly PlanStep[];
}

/** A text that a message may hold. */
export interface KnownText {
  /** A regular expression. The text is the first group of its last match. */
  readonly pattern: string;
  /** Stands in its place if no message matches. Without it a call of the text is not made. */
  readonly unknown?: string;
}

/** One response of the model. */
export interface PlanStep {
  /** Lower-case words with `-` and `/`; unique in the plan. */
  readonly name: string;
  readonly say: string;
  readonly calls: readonly PlannedCall[];
  /** The step after this one. @defaultValue the following step of the plan */
  readonly next?: {
    /** A regular expression that each result has to match, and none may be an error. */
    readonly when: string;
    /** The name of the step if they do. @defaultValue the following step of the plan */
    readonly then?: string;
    /** The name of the step if they do not. @defaultValue the following step of the plan */
    readonly otherwise?: string;
  };
}

/** A tool call of a plan. */
export interface PlannedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The call that is made instead if a text of the input is not known. */
  readonly otherwise?: PlannedCall;
}

/** A response with the step that it takes. */
export interface NextTurn {
  readonly step: string;
  /** The response reads a file again before the step's edit, because the messages no longer hold the text to replace. */
  readonly isReadingAgain: boolean;
  readonly say: string;
  readonly calls: readonly PlannedCall[];
}

/**
 * Returns a model without a provider that follows a plan. Its answer depends only on the messages of the request: equal requests get
 * equal answers, and text that was condensed away is unknown to it.
 */
export function offlineModel(plan: Plan): LLM {
  return {
    model: 'offline',
    complete(request) {
      request.signal?.throwIfAborted();
      const turn = nextTurn(plan, request.messages);
      const message = turn === undefined ? nothingLeft : messageOf(turn);
      return Promise.resolve({
        message,
        usage: estimateUsage(request, message),
        usageIsEstimated: true,
        finishReason: message.toolCalls === undefined ? 'stop' : 'tool-calls',
        model: 'offline',
      });
    },
  };
}

const nothingLeft: AssistantMessage = {
  role: 'assistant',
  content: [{ type: 'text', text: 'Nothing is left to do.' }],
};

function messageOf({ step, isReadingAgain, say, calls }: NextTurn): AssistantMessage {
  const id = `call-${step.replaceAll('/', '-')}${isReadingAgain ? '-again' : ''}`;
  return {
    role: 'assistant',
    content: [{ type: 'text', text: `${say} ${stepLabel(step, isReadingAgain)}` }],
    toolCalls: calls.map(({ tool, input }, index) => ({
      id: `${id}-${index + 1}`,
      name: tool,
      arguments: JSON.stringify(input),
    })),
  };
}

/** Returns the text at the end of a response, by which it names its step of the plan. */
export function stepLabel(name: string, isReadingAgain: boolean): string {
  return `[${name}${isReadingAgain ? ', again' : ''}]`;
}

/** Returns the words of a response without the name of its step. */
export function withoutStepLabel(text: string): string {
  return text.replace(labelPattern, '').trimEnd();
}

const labelPattern = /\[([\w/-]+)(, again)?\]$/;

/**
 * Returns the next response of a model that follows the plan. It knows only the messages. Its own last response names its place in the
 * plan. Before it edits a file, it checks that the messages still hold the text to replace.
 */
export function nextTurn(plan: Plan, messages: readonly Message[]): NextTurn | undefined {
  const history = visibleHistory(messages);
  const step = nextStep(plan.steps, history);
  if (step === undefined) return undefined;
  const { name, say } = step;
  const calls = step.calls.map((call) => withKnownTexts(call, plan, history));
  const forgotten = calls.filter(
    ({ tool, input }, index) =>
      tool === 'edit_file' &&
      !history.shows(String(input['old_text'])) &&
      !isWrittenBefore(String(input['old_text']), calls.slice(0, index)),
  );
  // A second read would return the same text, so the edit runs and its error says what is wrong.
  const hasJustRead = history.lastStep?.wasReadingAgain === true && history.lastStep.name === name;
  if (forgotten.length === 0 || hasJustRead) return { step: name, isReadingAgain: false, say, calls };
  const paths = [...new Set(forgotten.map(({ input }) => String(input['path'])))];
  return {
    step: name,
    isReadingAgain: true,
    say: `I want to change ${paths.join(' and ')}, and the text that I would replace is not before me any more. I read it again.`,
    calls: paths.map((path) => ({ tool: 'read_file', input: { path } })),
  };
}

/** True if an earlier call of the same response writes what a later one replaces. */
function isWrittenBefore(text: string, calls: readonly PlannedCall[]): boolean {
  return calls.some(({ input }) =>
    [input['new_text'], input['content']].some((written) => String(written).includes(text)),
  );
}

function nextStep(steps: readonly PlanStep[], { lastStep, results }: VisibleHistory): PlanStep | undefined {
  const index = steps.findIndex(({ name }) => name === lastStep?.name);
  const last = steps[index];
  if (last === undefined) return steps[0];
  if (lastStep?.wasReadingAgain === true) return last;
  const chosen =
    last.next === undefined ? undefined : last.next[leadsOn(last.next.when, results) ? 'then' : 'otherwise'];
  return chosen === undefined ? steps[index + 1] : steps.find(({ name }) => name === chosen);
}

function leadsOn(when: string, results: readonly ToolResult[]): boolean {
  const pattern = new RegExp(when);
  return results.length > 0 && results.every(({ text, isError }) => !isError && pattern.test(text));
}

function withKnownTexts(call: PlannedCall, { known }: Plan, { lastMatch }: VisibleHistory): PlannedCall {
  let isKnown = true;
  const textOf = (name: string): string => {
    const { pattern = '', unknown } = known[name] ?? {};
    const text = lastMatch(new RegExp(pattern, 'gm'))?.[1] ?? unknown;
    if (text === undefined) isKnown = false;
    return text ?? '';
  };
  const filled = (value: unknown): unknown =>
    typeof value === 'string' ? value.replace(/\{\{(\w+)\}\}/g, (_, name: string) => textOf(name)) : value;
  const input = Object.fromEntries(Object.entries(call.input).map(([key, value]) => [key, filled(value)]));
  return !isKnown && call.otherwise !== undefined ? call.otherwise : { tool: call.tool, input };
}

/** The content of the messages that a model was sent: all that it knows. */
export interface VisibleHistory {
  /** The step of its last response, and whether that only read a file again. */
  readonly lastStep?: { readonly name: string; readonly wasReadingAgain: boolean };
  /** The answers to the calls of the last response. */
  readonly results: readonly ToolResult[];
  /** True if the text stands anywhere in the messages, read with or without line numbers. */
  shows(text: string): boolean;
  /** Returns the last place in any message that matches. The expression is global. */
  lastMatch(expression: RegExp): RegExpMatchArray | undefined;
}

/** The answer to one call, as the model reads it, without the address at its end. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

const lineNumbers = /^ *\d+\t/gm;
const address = /\s*\[event_id: \w+\]$/;

/** Reads a list of messages. */
export function visibleHistory(messages: readonly Message[]): VisibleHistory {
  const lastTurn = messages.findLastIndex((message) => message.role === 'assistant');
  const label = lastTurn === -1 ? null : labelPattern.exec(textOf(messages[lastTurn]?.content ?? []));
  const all = messages.map(everythingIn);
  return {
    ...(label?.[1] === undefined ? {} : { lastStep: { name: label[1], wasReadingAgain: label[2] !== undefined } }),
    results: messages.slice(lastTurn + 1).flatMap((message) => (message.role === 'tool' ? [resultOf(message)] : [])),
    shows: (text) => all.some((part) => part.includes(text)),
    lastMatch: (expression) => all.flatMap((part) => [...part.matchAll(expression)]).at(-1),
  };
}

function resultOf(message: ToolMessage): ToolResult {
  return { text: textOf(message.content).replace(address, ''), isError: message.isError === true };
}

function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Words, results and the values of call arguments: the model also knows what it wrote into files. */
function everythingIn(message: Message): string {
  const words = textOf(message.content).replace(lineNumbers, '');
  if (message.role !== 'assistant') return words;
  return [words, ...(message.toolCalls ?? []).flatMap((call) => stringsIn(call.arguments))].join('\n');
}

function stringsIn(json: string): readonly string[] {
  try {
    return Object.values(JSON.parse(json) as object).filter((value) => typeof value === 'string');
  } catch {
    return [json];
  }
}
