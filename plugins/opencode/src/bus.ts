// The two halves of the plugin live in different threads of opencode. They talk over its event bus, by commands that the terminal does not know.

/** A person's question to the plugin. */
export const verbs = ['status', 'condense', 'condensed', 'undo-price', 'undo', 'switch'] as const;
export type Verb = (typeof verbs)[number];

export interface Ask {
  readonly id: string;
  readonly verb: Verb;
  readonly sessionID: string;
  /** Of `condense`. */
  readonly focus?: string | undefined;
}

export interface Answer {
  readonly id: string;
  /** Undefined where there is nothing to say: no condensation can be taken back. */
  readonly text?: string | undefined;
}

export interface Status {
  readonly sessionID: string;
  readonly text: string;
}

interface Messages {
  readonly ask: Ask;
  readonly answer: Answer;
  readonly status: Status;
}

const prefix = 'palimpsest.';

/** Returns the body for `tui.publish`. */
export function published<Kind extends keyof Messages>(
  kind: Kind,
  message: Messages[Kind],
): { readonly type: 'tui.command.execute'; readonly properties: { readonly command: string } } {
  return { type: 'tui.command.execute', properties: { command: `${prefix}${kind} ${JSON.stringify(message)}` } };
}

/** Returns the message of an event of the bus. Undefined if it is another event. */
export function messageIn<Kind extends keyof Messages>(kind: Kind, event: unknown): Messages[Kind] | undefined {
  const { type, properties } = (event ?? {}) as { readonly type?: unknown; readonly properties?: unknown };
  const command = (properties as { readonly command?: unknown } | undefined)?.command;
  const start = `${prefix}${kind} `;
  if (type !== 'tui.command.execute' || typeof command !== 'string' || !command.startsWith(start)) return undefined;
  try {
    return JSON.parse(command.slice(start.length)) as Messages[Kind];
  } catch {
    return undefined;
  }
}
