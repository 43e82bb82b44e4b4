import { pricesAt } from '@palimpsest/llm-adapters';
import { anthropicUsage, openaiUsage } from '@palimpsest/llm-adapters/wire';
import { withList } from '../body/request-body.js';
import type { RequestBody } from '../body/request-body.js';
import type { HoldOutReceipt, Receipt } from '../receipts/receipt.js';
import { withUsageRead } from './answer.js';
import type { Api } from './api.js';
import type { ConversationNames } from './conversation-name.js';
import type { Conversation, Prepared } from './conversation.js';
import { condensationReceipts, newestRereads } from './figures.js';
import { modelName, windowOf } from './model.js';
import { lookedAt } from './refusal.js';

/** A request that is understood. */
export interface Asked {
  readonly api: Api;
  readonly names: ConversationNames;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly body: RequestBody;
  readonly isSubscription: boolean;
  readonly holdOut?: HoldOutReceipt | undefined;
  /** Unit: milliseconds of `performance.now`. */
  readonly startedAt: number;
  readonly send: (body: Uint8Array) => Promise<Response>;
  readonly now: () => Date;
  readonly onReceipt: ((receipt: Receipt) => void) | undefined;
}

/** A request whose list is prepared. */
export interface Exchange extends Asked {
  readonly conversation: Conversation;
  readonly prepared: Prepared;
  /** The same body came before. */
  readonly isAgain: boolean;
}

/** Returns the body to send. An untouched list keeps every byte. */
export function bytesOf({ bytes, body }: Pick<Asked, 'bytes' | 'body'>, { way, messages }: Prepared): Uint8Array {
  return way === 'untouched' ? bytes : withList(body, messages);
}

/** Sends a list unchanged, and reads what it costs. */
export async function passed(asked: Asked): Promise<Response> {
  const overheadMs = performance.now() - asked.startedAt;
  const answer = await sent(asked, asked.bytes);
  return withUsageRead(answer, (usage) =>
    asked.onReceipt?.({ ...unchanged, ...ofAnswer(asked, answer, usage), overheadMs }),
  );
}

/** Sends a list as it fits. A refusal that another list helps is answered once, before the client sees a byte. */
export async function exchanged(exchange: Exchange): Promise<Response> {
  const { conversation, body, isAgain, onReceipt } = exchange;
  let { prepared } = exchange;
  const overheadMs = performance.now() - exchange.startedAt;
  const first = await lookedAt(await sent(exchange, bytesOf(exchange, prepared)));
  const { refusal } = first;
  let { answer } = first;
  if (refusal !== undefined && prepared.fitted !== undefined) {
    const again = await conversation.afterError(refusal, body.list, prepared.fitted);
    if (again !== undefined) {
      await answer.body?.cancel();
      prepared = again;
      ({ answer } = await lookedAt(await sent(exchange, bytesOf(exchange, prepared))));
    }
  }
  return withUsageRead(answer, (usage) => {
    conversation.used(usage, prepared);
    onReceipt?.({
      ...unchanged,
      ...ofAnswer(exchange, answer, usage),
      ...ofList(conversation, prepared, isAgain),
      isAgain,
      overheadMs,
    });
  });
}

/** Sends a body. That the provider was not reached is on record, too. @throws what the upstream throws */
async function sent(asked: Asked, bytes: Uint8Array): Promise<Response> {
  try {
    return await asked.send(bytes);
  } catch (error) {
    const overheadMs = performance.now() - asked.startedAt;
    asked.onReceipt?.({ ...unchanged, ...ofAnswer(asked, { status: 502 }, undefined), way: 'untouched', overheadMs });
    throw error;
  }
}

type AnswerPart = 'at' | 'conversation' | 'log' | 'api' | 'model' | 'status' | 'isSubscription' | 'holdOut';
type ListPart = Exclude<keyof Receipt, AnswerPart | 'overheadMs'>;

/** The receipt of a list to which nothing was done. */
const unchanged: Pick<Receipt, ListPart> = {
  way: 'passed',
  held: 0,
  sent: 0,
  isRewrite: false,
  isAgain: false,
  condensations: [],
  inForce: 0,
  isHeldBack: false,
};

function ofAnswer(
  { api, names, body, isSubscription, holdOut, headers, now }: Asked,
  { status }: Pick<Response, 'status'>,
  reported: unknown,
) {
  const model = modelName(body.value['model']);
  const at = now();
  const counted = api.name === 'messages' ? anthropicUsage(reported) : openaiUsage(reported);
  return {
    at: at.toISOString(),
    conversation: names.id,
    log: names.log,
    api: api.name,
    model,
    status,
    isSubscription,
    holdOut,
    usage: counted?.usage,
    cacheWrites: counted?.cacheWrites,
    prices: pricesAt(model, at),
    window: windowOf(model, headers),
  };
}

function ofList(conversation: Conversation, { fitted, way, problem }: Prepared, isAgain: boolean) {
  if (fitted === undefined) return { way, problem: problem?.message };
  const newest = isAgain ? undefined : newestRereads(fitted);
  return {
    way,
    problem: problem?.message,
    held: fitted.tokensBefore,
    sent: fitted.tokensAfter,
    isRewrite: conversation.changesBeginning(fitted),
    rereads: newest !== undefined && conversation.looksAt(newest.answer) ? newest.rereads : undefined,
    condensations: condensationReceipts(fitted),
    inForce: fitted.view.condensations.length,
    newest: fitted.view.condensations.at(-1)?.id,
    isHeldBack: fitted.reports.some(({ reason }) => reason === 'not-insured'),
  };
}
