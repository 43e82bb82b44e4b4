import { noOpCondenser, pricedCondenser } from '@palimpsest/condensers';
import { anthropicMessages, chatMessages, condensedHistory } from '@palimpsest/messages';
import type { CondensedHistory, CondensedHistoryOptions, Fitted } from '@palimpsest/messages';
import type { Condenser } from '@palimpsest/view';
import { hostHistories } from './histories.js';
import type { HostHistory, HostMessage, LogOf, WireName } from './histories.js';
import { collect, cpuOf, heldBytes, keepFirst, longestPause, median, stringifyTime } from './measure.js';
import type { Limits, Row } from './measure.js';

/** Of first fits the least is taken, of further ones the median. */
const [firstFits, furtherFits] = [20, 30];
const [pauses, conversations] = [3, 10];
const count = (size: number): string => size.toLocaleString('en-GB');

type Options = CondensedHistoryOptions<Pick<HostMessage, 'role'>>;
type History = CondensedHistory<Pick<HostMessage, 'role'>>;

const wires: Readonly<Record<WireName, Omit<Options, 'condenser'>>> = {
  chat: { codec: chatMessages(), model: 'gpt-5' },
  anthropic: { codec: anthropicMessages(), model: 'claude-haiku-4-5' },
};
const wireNames = Object.keys(wires) as WireName[];

/** Policies that condense nothing: one that does not ask, and one to which reading is free, so that nothing pays. */
const idle = {
  nothing: () => noOpCondenser(),
  'priced, none due': () => pricedCondenser({ prices: { read: 0, write: 1.25 } }),
} as const satisfies Readonly<Record<string, () => Condenser>>;

type Idle = keyof typeof idle;
const idleNames = Object.keys(idle) as Idle[];

/** Returns a history whose window nothing fills, so that prices alone decide. */
function historyOf(wire: WireName, policy: Idle, options: Partial<Options> = {}): History {
  return condensedHistory({ ...wires[wire], condenser: idle[policy](), contextWindow: 1_000_000_000, ...options });
}

/** Fits a list, and reads all that a host reads of it. */
async function fit(history: History, messages: HostMessage[]): Promise<Fitted<HostMessage>> {
  const fitted = await history.fit(messages);
  if (!(fitted.tokensBefore > 0 && fitted.tokensAfter > 0)) throw new Error('a list without a size');
  if (fitted.problem !== undefined) throw fitted.problem;
  if (fitted.condensations.length > 0) throw new Error('something was condensed, and nothing should be');
  return fitted;
}

/** Makes the conversations of a measurement, at so many messages. */
type Histories = (wire: WireName, size: number, steps?: number) => () => HostHistory;

function histories(logOf: LogOf): Histories {
  return (wire, size, steps) => hostHistories(wire, logOf(Math.ceil(size * 1.2) + 500), size, steps);
}

/** Compares the first fit of a list, in a history of its own, with `JSON.stringify` of the list. */
async function firstFit(make: () => HostHistory, create: () => History): Promise<number> {
  const [times, floors]: [number[], number[]] = [[], []];
  for (let round = 0; round < firstFits; round++) {
    const { messages } = make();
    const history = create();
    collect();
    floors.push(await stringifyTime(messages));
    let fitted: unknown;
    times.push(await cpuOf(async () => (fitted = await fit(history, messages))));
    keepFirst(round, history, fitted);
  }
  return Math.min(...times) / Math.min(...floors);
}

const firstLimits: Readonly<Record<number, Readonly<Record<Idle, Limits>>>> = {
  1_000: { nothing: [12, 5], 'priced, none due': [15, 7] },
  10_000: { nothing: [8, 5], 'priced, none due': [10, 6] },
};

export async function first(logOf: LogOf): Promise<readonly Row[]> {
  const historiesOf = histories(logOf);
  const rows: Row[] = [];
  for (const size of [100, 1_000, 10_000]) {
    for (const wire of wireNames) {
      const make = historiesOf(wire, size);
      for (const policy of idleNames) {
        const figure = await firstFit(make, () => historyOf(wire, policy));
        const limits = firstLimits[size]?.[policy];
        rows.push({ what: `first fit, ${policy}, ${wire}, ${count(size)}`, figure, ...(limits && { limits }) });
      }
    }
  }
  return rows;
}

/**
 * Measures the first fit for a model that binds its thinking to what came before it. Each answer has some, of nobody knows which
 * request.
 */
export async function thinking(logOf: LogOf): Promise<readonly Row[]> {
  const make = histories(logOf)('anthropic', 1_000);
  const thought = {
    type: 'thinking',
    thinking: 'The parser reads the header twice. '.repeat(8),
    signature: 'EqQBCgIYAhIM'.repeat(25),
  };
  const withThinking = (): HostHistory => {
    const { messages, steps } = make();
    for (const message of messages) {
      if (message.role === 'assistant' && Array.isArray(message.content))
        message.content = [{ ...thought }, ...(message.content as readonly unknown[])];
    }
    return { messages, steps };
  };
  const figure = await firstFit(withThinking, () => historyOf('anthropic', 'nothing', { model: 'claude-opus-5-5' }));
  return [{ what: 'first fit, a model that binds thinking, 1,000', figure, limits: [25, 12] }];
}

const furtherLimits: Readonly<Record<number, Readonly<Record<Idle, Limits>>>> = {
  1_000: { nothing: [0.5, 0.25], 'priced, none due': [0.6, 0.3] },
  10_000: { nothing: [0.2, 0.1], 'priced, none due': [0.25, 0.12] },
};

/** Measures a further fit: the list has grown by an answer and its results. */
export async function further(logOf: LogOf): Promise<readonly Row[]> {
  const historiesOf = histories(logOf);
  const rows: Row[] = [];
  for (const size of [1_000, 10_000]) {
    for (const wire of wireNames) {
      const make = historiesOf(wire, size, furtherFits);
      for (const policy of idleNames) {
        const { messages, steps } = make();
        const history = historyOf(wire, policy);
        await fit(history, messages);
        collect();
        const [times, floors]: [number[], number[]] = [[], []];
        for (const step of steps) {
          messages.push(...step);
          times.push(await cpuOf(() => fit(history, messages)));
          floors.push(await stringifyTime(messages));
        }
        const [figure, limits] = [median(times) / median(floors), furtherLimits[size]?.[policy]];
        rows.push({ what: `further fit, ${policy}, ${wire}, ${count(size)}`, figure, ...(limits && { limits }) });
      }
    }
  }
  return rows;
}

/** Measures a fit after the host has changed a message in place, once, in the middle of the list. */
export async function changed(logOf: LogOf): Promise<readonly Row[]> {
  const historiesOf = histories(logOf);
  const rows: Row[] = [];
  for (const wire of wireNames) {
    const make = historiesOf(wire, 1_000);
    const [times, floors]: [number[], number[]] = [[], []];
    for (let round = 0; round < furtherFits; round++) {
      const { messages } = make();
      const history = historyOf(wire, 'nothing');
      await fit(history, messages);
      changeResult(messages.slice(messages.length / 2), 'The file has changed.');
      collect();
      let fitted: unknown;
      times.push(await cpuOf(async () => (fitted = await fit(history, messages))));
      keepFirst(round, history, fitted);
      floors.push(await stringifyTime(messages));
    }
    const figure = median(times) / median(floors);
    rows.push({ what: `fit after a change in place in the middle, ${wire}, 1,000`, figure, limits: [12, 4] });
  }
  return rows;
}

/** Changes the text of the first result. */
function changeResult(messages: readonly HostMessage[], text: string): void {
  for (const message of messages) {
    if (message.role === 'tool') {
      message.content = text;
      return;
    }
    const [block] = Array.isArray(message.content) ? (message.content as { type: string; content: unknown }[]) : [];
    if (block?.type !== 'tool_result') continue;
    block.content = text;
    return;
  }
  throw new Error('there is no result');
}

const pauseLimits: Readonly<Record<Idle, Limits>> = { nothing: [50, 20], 'priced, none due': [100, 40] };

/** Measures the longest time for which a first fit lets nothing else run. */
export async function pause(logOf: LogOf): Promise<readonly Row[]> {
  const historiesOf = histories(logOf);
  const rows: Row[] = [];
  for (const wire of wireNames) {
    const make = historiesOf(wire, 10_000);
    for (const policy of idleNames) {
      const longest: number[] = [];
      for (let round = 0; round < pauses; round++) {
        const { messages } = make();
        const history = historyOf(wire, policy);
        collect();
        longest.push(await longestPause(() => fit(history, messages)));
      }
      const what = `longest pause of a first fit, ${policy}, ${wire}, 10,000`;
      rows.push({ what, figure: Math.min(...longest), unit: 'ms', limits: pauseLimits[policy] });
    }
  }
  return rows;
}

/** Compares the memory that a history holds for conversations, beside the lists of the host, with the bytes of these as JSON. */
export async function memory(logOf: LogOf): Promise<readonly Row[]> {
  const historiesOf = histories(logOf);
  const rows: Row[] = [];
  for (const wire of wireNames) {
    const make = historiesOf(wire, 1_000);
    for (const policy of idleNames) {
      const figure = await heldBy(() => historyOf(wire, policy), make);
      rows.push({ what: `memory of a conversation in fit, ${policy}, ${wire}, 1,000`, figure, limits: [3, 2] });
    }
  }
  return rows;
}

async function heldBy(create: () => History, make: () => HostHistory): Promise<number> {
  const fitAll = async (history: History, lists: readonly HostMessage[][]): Promise<void> => {
    for (const [index, messages] of lists.entries()) await history.fit(messages, { conversationId: `${index}` });
  };
  // What a first fit leaves behind for all others is not counted.
  await fitAll(create(), [make().messages]);
  const lists = Array.from({ length: conversations }, () => make().messages);
  const bytes = lists.reduce((sum, list) => sum + Buffer.byteLength(JSON.stringify(list)), 0);
  const history = create();
  const before = await heldBytes();
  await fitAll(history, lists);
  const held = (await heldBytes()) - before;
  // Both are alive up to here.
  await fitAll(history, lists.slice(0, 1));
  return held / bytes;
}
