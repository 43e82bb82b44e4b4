import type { HostModel } from '@palimpsest/plugin-kit';
import type { HostInfo } from './list/host.js';

/** The questions to opencode's client. */
export interface HostClient {
  readonly config: { readonly providers: () => Promise<{ readonly data?: unknown }> };
  readonly app: { readonly agents: () => Promise<{ readonly data?: unknown }> };
  readonly tui: { readonly publish: (request: { readonly body: never }) => Promise<unknown> };
  readonly _client?: { readonly get: (request: { readonly url: string }) => Promise<{ readonly data?: unknown }> };
}

/** The facts that opencode knows of its models and agents. */
export interface Facts {
  readonly version: string | undefined;
  /** By provider and model. */
  readonly models: ReadonlyMap<string, ModelFacts>;
  /** The agents that may not use the recall tool. */
  readonly withoutRecall: ReadonlySet<string>;
}

interface ModelFacts {
  readonly id?: string;
  readonly api?: { readonly id?: string };
  /** Unit: USD for a million tokens. */
  readonly cost?: {
    readonly input?: number;
    readonly output?: number;
    readonly cache?: { read?: number; write?: number };
  };
  /** Unit: tokens. */
  readonly limit?: { readonly context?: number; readonly input?: number; readonly output?: number };
}

interface AgentFacts {
  readonly name?: string;
  readonly permission?: readonly {
    readonly permission?: string;
    readonly pattern?: string;
    readonly action?: string;
  }[];
}

export const noFacts: Facts = { version: undefined, models: new Map(), withoutRecall: new Set() };

/** Asks opencode. Nothing leaves the process. */
export async function factsFrom(client: HostClient): Promise<Facts> {
  const [providers, agents, health] = await Promise.all([
    client.config.providers(),
    client.app.agents().catch(() => ({ data: [] })),
    client._client?.get({ url: '/global/health' }).catch(() => ({ data: undefined })),
  ]);
  const { providers: list = [] } = (providers.data ?? {}) as {
    readonly providers?: readonly { readonly id: string; readonly models?: Readonly<Record<string, ModelFacts>> }[];
  };
  const models = list.flatMap(({ id, models = {} }) =>
    Object.entries(models).map(([name, facts]) => [`${id}/${name}`, facts] as const),
  );
  const withoutRecall = ((agents.data ?? []) as readonly AgentFacts[]).filter(isWithoutRecall);
  return {
    version: (health?.data as { readonly version?: string } | undefined)?.version,
    models: new Map(models),
    withoutRecall: new Set(withoutRecall.map(({ name = '' }) => name)),
  };
}

function listOf<Item>(list: readonly Item[] | undefined): readonly Item[] {
  return Array.isArray(list) ? (list as readonly Item[]) : [];
}

/** The newest rule counts. */
function isWithoutRecall({ permission }: AgentFacts): boolean {
  const rule = listOf(permission).findLast(({ permission: name }) => name === '*' || name === 'recall');
  return rule?.action === 'deny' && rule.pattern === '*';
}

/** The largest answer that opencode asks for. Unit: tokens. */
const mostOutput = 32_000;
/** The part that opencode keeps free of a window whose input has a limit of its own. Unit: tokens. */
const reserved = 20_000;
/** Estimates are no counts, and opencode compacts by what was counted. */
const safeShare = 0.9;

/** The model of a request, and the price of one of its input tokens. Unit: USD. */
export interface RequestModel {
  readonly model: HostModel;
  readonly usdPerToken: number | undefined;
}

/**
 * Returns what a session's model takes and costs. Its window ends where opencode would begin a compaction of its own.
 *
 * @param ownReserve - the user's `compaction.reserved`. Unit: tokens.
 */
export function modelOf({ model }: HostInfo, { models }: Facts, ownReserve: number | undefined): RequestModel {
  const facts = models.get(`${model?.providerID ?? ''}/${model?.modelID ?? ''}`);
  const name = facts?.api?.id ?? model?.modelID;
  const { cost = {}, limit = {} } = facts ?? {};
  const answer = Math.min(mostOutput, limit.output || mostOutput);
  const end = limit.input
    ? limit.input - (ownReserve ?? Math.min(reserved, answer))
    : limit.context
      ? limit.context - answer
      : undefined;
  const price = cost.input || undefined;
  return {
    model: {
      model: name,
      ...(end === undefined || end <= 0 ? {} : { contextWindow: Math.floor(end * safeShare) }),
      ...(price === undefined
        ? {}
        : {
            prices: {
              read: (cost.cache?.read || price) / price,
              write: (cost.cache?.write || price) / price,
              output: (cost.output ?? price) / price,
            },
          }),
    },
    usdPerToken: price === undefined ? undefined : price / 1_000_000,
  };
}
