import { parseEvent } from '@palimpsest/events';
import type { Event, Message } from '@palimpsest/events';
import { promptToSend } from '@palimpsest/llm-adapters';
import type { CompletionRequest, SentPrompt } from '@palimpsest/llm-adapters';
import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import { toChatCompletionsRequest, toResponsesRequest } from '@palimpsest/llm-adapters/openai';
import { estimateCounter, o200kCounter } from '@palimpsest/llm-adapters/tokens';
import type { TokenCounter } from '@palimpsest/llm-adapters/tokens';
import { View, ViewProjection } from '@palimpsest/view';
import { ordinaryLog } from './logs.js';
import { cpuClock, median } from './measure.js';
import { measuredLogs } from './sessions.js';

type Wire = (request: CompletionRequest) => unknown;

/** How a history becomes a body: without cache marks for GPT-4o, with them for the others. */
const wires: Readonly<Record<string, Wire>> = {
  'Messages, Claude': (request) => toMessagesRequest(request, { model: 'claude-opus-5-5' }),
  'Chat Completions, GPT-4o': (request) => toChatCompletionsRequest(request, { model: 'gpt-4o' }),
  'Chat Completions, GPT-5.6': (request) => toChatCompletionsRequest(request, { model: 'gpt-5.6' }),
  'Responses, GPT-6': (request) => toResponsesRequest(request, { model: 'gpt-6-sol' }),
};

const tools = ['read', 'edit', 'run', 'search'].map((name) => ({
  name,
  description: `What ${name} does. `.repeat(60),
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}));

/** A history in the states in which an agent sends it, one step after the other. */
function growingHistory(events: readonly Event[], length: number, steps: number): readonly (readonly Message[])[] {
  const projection = new ViewProjection();
  const histories: (readonly Message[])[] = [];
  for (const event of events) {
    projection.append(event);
    const isStep = event.type === 'observation' || (event.type === 'message' && event.role === 'user');
    if (projection.view.events.length < length || !isStep) continue;
    const messages = projection.view.toMessages();
    if (messages.length < length || messages.at(-1)?.role === 'assistant') continue;
    histories.push(messages);
    if (histories.length === steps) return histories;
  }
  throw new Error('the log is too short');
}

const conversations = 10_000;
/** Unit: events. */
const conversationLength = 40;

/** What is remembered for many conversations that are all alive: their lists of messages stand before and after. */
function printManyConversations(): void {
  for (const [name, wire] of Object.entries(wires)) {
    const lists: (readonly Message[])[] = [];
    for (let index = 0; index < conversations; index++) {
      const events = ordinaryLog(conversationLength).map((event) =>
        parseEvent({ ...event, id: `${event.id}-${index}` }),
      );
      lists.push(View.fromEvents(events).toMessages());
    }
    const before = usedHeap();
    for (const messages of lists) wire({ messages, tools, cache: { key: 'k', cachedMessages: 0 } });
    const bytes = (usedHeap() - before) / conversations;
    const length = lists[0]?.length ?? 0;
    console.log(
      `  ${bytes.toFixed(0).padStart(7)} bytes a conversation of ${length} messages, 10,000 of them: ${name}`,
    );
  }
}

/** A body from nothing, and that of a further step, to `JSON.stringify` of the messages; and what is remembered for it. */
export async function requestBodiesBench(): Promise<void> {
  const logOf = await measuredLogs();
  for (const [length, rounds] of [
    [100, 40],
    [1_000, 20],
    [10_000, 7],
  ] as const) {
    const { origin, events } = logOf(Math.ceil(length * 1.3) + 20 * steps);
    const histories = growingHistory(events, length, steps);
    console.log(
      `\n${length.toLocaleString('en-GB')} messages of ${origin}. CPU to that of JSON.stringify of them, the least of ${rounds}.`,
    );
    const copies = () => View.fromEvents(events).toMessages().slice(0, histories[0]?.length);
    for (const [name, wire] of Object.entries(wires)) printWire(name, bodiesOf(histories, copies, { wire, rounds }));
    if (length > 100) await printCounters(histories);
  }
  if (globalThis.gc !== undefined) printManyConversations();
}

const steps = 31;

interface Measured {
  /** `JSON.stringify` of the messages. Unit: milliseconds, as of all others. */
  readonly stringify: number;
  /** Of frozen messages that nobody has converted before. */
  readonly first: number;
  /** Without memory: the messages are copies that are not frozen. */
  readonly ofCopies: number;
  /** The median of those of a history that has grown by a step. */
  readonly further: number;
  readonly rememberedBytes: number;
}

function bodiesOf(
  histories: readonly (readonly Message[])[],
  copies: () => readonly Message[],
  { wire, rounds }: { readonly wire: Wire; readonly rounds: number },
): Measured {
  const cpuOf = (run: () => unknown): number => {
    globalThis.gc?.();
    const start = cpuClock();
    run();
    return cpuClock() - start;
  };
  const times = Array.from({ length: rounds }, () => {
    const messages = copies();
    const unfrozen = structuredClone(messages);
    return {
      stringify: cpuOf(() => JSON.stringify(messages)),
      first: cpuOf(() => wire({ messages, tools, cache: { key: 'k', cachedMessages: 0 } })),
      ofCopies: cpuOf(() => wire({ messages: unfrozen, tools, cache: { key: 'k', cachedMessages: 0 } })),
    };
  });
  const least = (of: 'stringify' | 'first' | 'ofCopies') => Math.min(...times.map((one) => one[of]));
  const further: number[] = [];
  const before = usedHeap();
  let rememberedBytes = 0;
  let sent: SentPrompt | undefined;
  for (const messages of histories) {
    sent = promptToSend(messages, sent);
    const start = cpuClock();
    wire({ messages, tools, cache: { key: 'k', ...sent.cache } });
    further.push(cpuClock() - start);
    if (further.length === 1) rememberedBytes = (usedHeap() - before) / messages.length;
  }
  const [first, ofCopies, stringify] = [least('first'), least('ofCopies'), least('stringify')];
  return { first, ofCopies, stringify, further: median(further.slice(1)), rememberedBytes };
}

function printWire(name: string, { stringify, first, ofCopies, further, rememberedBytes }: Measured): void {
  const ratio = (time: number) => `${(time / stringify).toFixed(2).padStart(6)}×`;
  const memory = globalThis.gc === undefined ? '' : `, remembers ${Math.round(rememberedBytes)} bytes a message`;
  console.log(
    `  ${ratio(first)} from nothing ${ratio(ofCopies)} of unfrozen copies ${ratio(further)} a step later ` +
      `(stringify ${stringify.toFixed(1)} ms)  ${name}${memory}`,
  );
}

/** A count of the history of the step before, and then of that of the step, to a count of the whole. */
async function printCounters(histories: readonly (readonly Message[])[]): Promise<void> {
  const counters: readonly (() => Promise<TokenCounter>)[] = [
    () => o200kCounter(),
    () => Promise.resolve(estimateCounter({ charsPerToken: 3.5 })),
  ];
  for (const make of counters) {
    const counter = await make();
    const times = histories.map((messages) => {
      const start = cpuClock();
      counter.count({ messages, tools });
      return cpuClock() - start;
    });
    const [whole = Number.NaN, ...grown] = times;
    const step = median(grown);
    console.log(
      `  ${(step / whole).toFixed(4).padStart(6)}×  ${step.toFixed(2).padStart(7)} ms after a step, of ${whole.toFixed(0)} ms for ` +
        `the whole: tokens by ${counter.name}`,
    );
  }
}

function usedHeap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
