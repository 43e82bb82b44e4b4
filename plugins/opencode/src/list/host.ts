// The shapes of opencode that the plugin uses, as its transform hook gave them in the tested versions. Whatever else is there is passed through.

/** A message with its parts. */
export interface HostMessage {
  readonly info: HostInfo;
  readonly parts: readonly HostPart[];
}

export interface HostInfo {
  readonly id: string;
  readonly sessionID: string;
  readonly role: 'user' | 'assistant';
  /** Of the user: the model that is asked, and the agent. */
  readonly model?: { readonly providerID: string; readonly modelID: string };
  readonly agent?: string;
  /** Of an answer. */
  readonly tokens?: HostTokens;
  readonly error?: { readonly name?: string };
  /** True for the answer in which opencode's own compaction has summed up what came before. */
  readonly summary?: unknown;
  readonly finish?: string;
}

/** The counts of the provider. They do not overlap. */
export interface HostTokens {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache: { readonly read: number; readonly write: number };
}

/** A part of a message. A tool's holds the call and its result. */
export interface HostPart {
  readonly type: string;
  readonly id?: string;
  readonly text?: string;
  readonly ignored?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly mime?: string;
  readonly url?: string;
  readonly filename?: string;
  readonly callID?: string;
  readonly tool?: string;
  readonly state?: HostToolState;
}

export interface HostToolState {
  readonly status: string;
  readonly input?: unknown;
  readonly output?: string;
  readonly error?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly attachments?: readonly HostPart[];
  readonly time?: Readonly<Record<string, number>>;
}

/** Returns true if every message of a list has the shape that is known here, and all are of one session. */
export function isHostList(list: unknown): list is HostMessage[] {
  if (!Array.isArray(list) || list.length === 0) return false;
  const ids = new Set<unknown>();
  return list.every((message: unknown) => {
    const { info, parts } = (message ?? {}) as { readonly info?: Partial<HostInfo>; readonly parts?: unknown };
    if (typeof info !== 'object' || info === null || !Array.isArray(parts)) return false;
    const session = (list[0] as HostMessage).info.sessionID;
    const isNew = !ids.has(info.id);
    ids.add(info.id);
    return (
      isNew &&
      typeof info.id === 'string' &&
      info.sessionID === session &&
      (info.role === 'user' || info.role === 'assistant') &&
      parts.every((part: unknown) => typeof (part as HostPart | null)?.type === 'string')
    );
  });
}
