import type { ProviderServer } from './provider-server.js';

/** The history that each request sent, as a flat list of blocks and items without thinking, each with its author's role, as JSON. */
export function sentTo({ requests }: Pick<ProviderServer, 'requests'>): readonly (readonly string[])[] {
  return requests.map(({ body }) => {
    const { messages, input } = body as { messages?: readonly Sent[]; input?: readonly Sent[] };
    return (messages ?? input ?? []).flatMap((message) =>
      Array.isArray(message.content)
        ? (message.content as readonly Sent[])
            .filter(({ type }) => type !== 'thinking')
            .map((block) => JSON.stringify([message.role, block]))
        : [JSON.stringify(message)],
    );
  });
}

interface Sent {
  readonly role?: string;
  readonly type?: string;
  readonly content?: unknown;
}

/** The requests, by their index in {@link sentTo}, whose history does not begin with the one before: a prompt cache misses there. */
export function rewritesIn(sent: readonly (readonly string[])[]): readonly number[] {
  return sent.flatMap((blocks, index) => {
    const before = sent[index - 1] ?? [];
    return before.every((block, place) => block === blocks[place]) ? [] : [index];
  });
}
