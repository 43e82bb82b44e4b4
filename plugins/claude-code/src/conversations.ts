import { Conversation } from './conversation.js';
import type { ConversationOptions } from './conversation.js';
import { readFailures } from './failures.js';
import type { Engine, StepUsage } from './host.js';
import { folderOf, loadConversation } from './session-files.js';

/** The settings of a person. */
export interface PluginOptions extends ConversationOptions {
  /** Claude Code is to ask early, so that prices decide. */
  readonly asksEarly: boolean;
}

/** The facts of a conversation that the answers of its model tell, without a look at its rows. */
export interface Meter {
  steps: number;
  /** The number of steps at our last answer. */
  answeredAt: number;
  /** Size of the last request. Unit: tokens. */
  tokens: number | undefined;
  model: string | undefined;
  /** A request is on its way, or the last one has brought no answer: what the engine asks now is no question of size. */
  isUnanswered: boolean;
  /** The rows that were left as they are when the engine asked last, and no answer of the model has come since. */
  leftAlone: string | undefined;
  /** No look at images before this step. */
  mediaAt: number;
  /** Usages of answers, until the conversation is read. */
  usages: StepUsage[];
}

const meters = new Map<string, Meter>();
const conversations = new Map<string, Promise<Conversation>>();

/** Returns the meter of a conversation. */
export function meterOf(key: string): Meter {
  const known = meters.get(key);
  if (known !== undefined) return known;
  const meter: Meter = {
    ...{ steps: 0, answeredAt: -Infinity, tokens: undefined, model: undefined },
    ...{ isUnanswered: false, leftAlone: undefined, mediaAt: 0, usages: [] },
  };
  meters.set(key, meter);
  return meter;
}

/** Returns the name under which a conversation is known here. */
export function keyOf(sessionId: string, agentId: string | undefined): string {
  return `${sessionId}/${agentId ?? 'main'}`;
}

/** Returns a conversation, as it was stored if this process, or this environment, has not seen it. */
export async function conversationOf(
  $: Engine,
  options: PluginOptions,
  agentId: string | undefined,
): Promise<Conversation> {
  const key = keyOf(await $.session.id(), agentId);
  const known = conversations.get(key);
  if (known !== undefined) return known;
  const loaded = load($, options, key, agentId);
  conversations.set(key, loaded);
  try {
    return await loaded;
  } catch (error) {
    conversations.delete(key);
    throw error;
  }
}

async function load(
  $: Engine,
  options: PluginOptions,
  key: string,
  agentId: string | undefined,
): Promise<Conversation> {
  const { version } = await $.session.version();
  const conversation = new Conversation({ ...options, hostVersion: version }, await readFailures($, key));
  const folder = await folderOf($, agentId);
  await conversation.load(folder === undefined ? undefined : await loadConversation($, folder));
  if ((await $.store.get(`off:${await $.session.id()}`)) === true) conversation.session.turn(false);
  return conversation;
}
