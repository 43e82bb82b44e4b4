import { isGivenUp } from '@palimpsest/plugin-kit';
import type { HostRequest } from '@palimpsest/plugin-kit';
import type { Conversation } from './conversation.js';
import { conversationOf, keyOf, meterOf } from './conversations.js';
import type { Meter, PluginOptions } from './conversations.js';
import { failed, writeFailures } from './failures.js';
import type { CompactInput, CompactResult, Engine, Next, SessionRow } from './host.js';
import { isWorthAnswering, limitWithoutUs, tokensBehindAnswer } from './limits.js';
import { mediaNote, mediaOf } from './media.js';
import { rowKey, tokensOf } from './rows.js';
import { folderOf, saveConversation } from './session-files.js';
import { askEarly, windowsOf } from './settings.js';
import { answerRows, readRows } from './transcript.js';
import type { ReadRow } from './transcript.js';

type Continue = Next<CompactInput, CompactResult>;

const notYet = 'Palimpsest: reading on is cheaper than condensing now';

/** After a look at images that stand in the way, so many steps pass before the next. */
const stepsBetweenMedia = 5;

/** The kind of a question, and the sizes at that time. Unit: tokens. */
interface Ask {
  readonly tokens: number;
  readonly limit: number;
  readonly window: number;
  /** Without us Claude Code would compact now: the size is reached, or the provider has refused the request. */
  readonly isAtLimit: boolean;
  /** A person, or a plugin, asks. */
  readonly isAsked: boolean;
}

/** Answers `session.compact`. */
export async function compact(
  $: Engine,
  event: CompactInput,
  next: Continue,
  options: PluginOptions,
): Promise<CompactResult> {
  const { trigger, agentId, messages } = event;
  if (trigger === 'precompute') return { skip: 'Palimpsest condenses when it pays' };
  const key = keyOf(await $.session.id(), agentId);
  const meter = meterOf(key);
  const ask = await askOf($, event, meter);
  const conversation = await conversationOf($, options, agentId);
  const mayTry = conversation.session.isOn && (conversation.boundary.step() || ask.isAsked);
  if (mayTry) {
    await writeFailures($, key, conversation.failures, true);
    const answer = await conversation.boundary.run(() => answerOf($, event, conversation, { ask, meter }));
    await writeFailures($, key, conversation.failures, false);
    await stopIfHopeless($, conversation);
    $.ui.invalidate('ui.render');
    if (answer?.messages !== undefined) {
      meter.answeredAt = meter.steps;
      meter.leftAlone = undefined;
      return answer;
    }
    if (trigger === 'plugin' && answer !== undefined) return answer;
  }
  if (ask.isAtLimit || ask.isAsked) return next(event);
  meter.leftAlone = stateOf(messages);
  return { skip: notYet };
}

/** Lets Claude Code ask no more where nothing is tried any more: `/context` then shows the window that counts. */
async function stopIfHopeless($: Engine, { failures }: Conversation): Promise<void> {
  if (isGivenUp(failures.own) || isGivenUp(failures.session)) await askEarly($, false);
}

/** Answers in the place of {@link compact} where it throws, or works for 10 s: the engine's own summariser comes no earlier than without us. */
export async function afterFailure($: Engine, event: CompactInput, next: Continue): Promise<CompactResult> {
  const { trigger, agentId, messages } = event;
  if (trigger === 'precompute') return { skip: notYet };
  const key = keyOf(await $.session.id(), agentId);
  const meter = meterOf(key);
  await failed($, key);
  const ask = await askOf($, event, meter);
  if (ask.isAtLimit || ask.isAsked) return next(event);
  meter.leftAlone = stateOf(messages);
  return { skip: 'Palimpsest failed: nothing was condensed' };
}

/** Returns what stands for the state of a transcript. */
function stateOf(messages: readonly SessionRow[]): string {
  const last = messages.at(-1);
  return `${messages.length}:${JSON.stringify({ ...last, handle: undefined })}`;
}

async function askOf($: Engine, { trigger, messages, agentId }: CompactInput, meter: Meter): Promise<Ask> {
  const { context } = await $.session.usage();
  const model = meter.model ?? (await $.session.model());
  const windows = await windowsOf($, { model, mainWindow: context.window, isMain: agentId === undefined });
  const limit = limitWithoutUs(windows);
  const known = meter.tokens ?? (agentId === undefined ? context.tokens : undefined);
  const tokens = known === undefined ? tokensOf(messages) : known + tokensBehindAnswer(messages);
  // The engine asks for the size of a request before it sends it. It asks again if the provider has refused it.
  const isRefused = meter.isUnanswered || (meter.leftAlone !== undefined && meter.leftAlone === stateOf(messages));
  return {
    ...{ tokens, limit, window: Math.min(windows.model, windows.person ?? Infinity) },
    isAtLimit: trigger === 'auto' && (tokens >= limit || isRefused),
    isAsked: trigger === 'manual' || trigger === 'plugin',
  };
}

/** Returns the answer, or the reason why the rows stay as they are. */
async function answerOf(
  $: Engine,
  event: CompactInput,
  conversation: Conversation,
  { ask, meter }: { readonly ask: Ask; readonly meter: Meter },
): Promise<CompactResult> {
  const read = readRows(event.messages);
  if (read === undefined) return { skip: 'Palimpsest: a row has an unknown shape' };
  const rows = read.map(({ row }) => row);
  const list = conversation.originals.listOf(rows);
  const request = requestOf(ask, meter, rows);
  conversation.request = request;
  await conversation.account(list, meter.usages.splice(0));
  await conversation.hold();
  const isForced = ask.isAsked || ask.isAtLimit;
  const condense = isForced ? 'now' : meter.steps - meter.answeredAt > 3 && meter.steps >= meter.mediaAt;
  const fitted = await conversation.session.fit(list, { ...request, condense, focus: event.instructions });
  const { own, anew } = answerRows(event.messages, read, fitted);
  const saved = tokensOf(rows) - tokensOf(fitted);
  const isNothing = saved <= 0 || own.length === 0;
  const sizes = { before: ask.tokens, after: ask.tokens - saved };
  const isFit = ask.isAtLimit
    ? sizes.after < 0.95 * ask.limit
    : ask.isAsked || isWorthAnswering(sizes, meter.steps - meter.answeredAt);
  if (isNothing || !isFit) {
    if (conversation.session.newest?.condensations.length !== 0) await conversation.takeBack();
    return { skip: `Palimpsest: ${conversation.problem ?? 'there is nothing to condense'}` };
  }
  const shown = await withoutMedia($, event, { conversation, read, own, anew, isForced });
  if (shown === undefined) {
    meter.mediaAt = meter.steps + stepsBetweenMedia;
    await conversation.takeBack();
    return { skip: 'Palimpsest: images in the newest steps would be lost' };
  }
  conversation.originals.keep(list, [...fitted.slice(0, fitted.length - anew.length), ...shown]);
  const folder = await folderOf($, event.agentId);
  if (folder !== undefined) await saveConversation($, folder, await conversation.toStore());
  return { messages: [...own, ...shown] };
}

function requestOf({ tokens, window }: Ask, { model }: Meter, rows: readonly SessionRow[]): HostRequest {
  return {
    model: { ...(model === undefined ? {} : { model }), contextWindow: window },
    fixedTokens: Math.max(0, tokens - tokensOf(rows)),
  };
}

/**
 * Returns rows that are built anew with a note where an image or a document stood: built anew, a row has text alone. Undefined if one
 * stands in what is kept, and nobody has to make room now.
 */
async function withoutMedia(
  $: Engine,
  { agentId }: CompactInput,
  {
    conversation,
    read,
    own,
    anew,
    isForced,
  }: {
    readonly conversation: Conversation;
    readonly read: readonly ReadRow[];
    readonly own: readonly SessionRow[];
    readonly anew: readonly SessionRow[];
    readonly isForced: boolean;
  },
): Promise<readonly SessionRow[] | undefined> {
  const api = await $.session.messages({ as: 'api', ...(agentId === undefined ? {} : { agentId }) });
  if ('deny' in api) throw new Error(`the conversation cannot be read: ${api.deny}`);
  const kept = new Set(anew.map(rowKey));
  const rows = [...anew];
  const gone: string[] = [];
  for (const [place, names] of mediaOf(api, read)) {
    const { row, index } = read[place] as ReadRow;
    if (index < own.length) continue;
    if (kept.has(rowKey(row)) && !isForced) return undefined;
    const at = rows.findIndex((one) => isSameRow(one, row));
    if (at === -1) gone.push(...names);
    else rows[at] = withNote(rows[at] as SessionRow, mediaNote(names));
  }
  const lost = [...new Set([...conversation.lostMedia, ...gone])].slice(-20);
  conversation.lostMedia = lost;
  const first = rows.findIndex(({ role, toolResults }) => role === 'user' && toolResults === undefined);
  const target = rows[first];
  if (lost.length > 0 && target !== undefined) rows[first] = withNote(target, mediaNote(lost));
  return rows;
}

/** True for a row, and for one that stands for the same result. */
function isSameRow(one: SessionRow, other: SessionRow): boolean {
  const ids = other.toolResults?.map(({ tool_use_id }) => tool_use_id) ?? [];
  if (ids.length === 0) return rowKey(one) === rowKey(other);
  return one.toolResults?.some(({ tool_use_id }) => ids.includes(tool_use_id)) === true;
}

function withNote(row: SessionRow, note: string): SessionRow {
  const [first, ...rest] = row.toolResults ?? [];
  const longer = (text: string) => (text === '' ? note : `${text}\n${note}`);
  if (first === undefined) return { ...row, text: longer(row.text) };
  return { ...row, toolResults: [{ ...first, text: longer(first.text) }, ...rest] };
}
