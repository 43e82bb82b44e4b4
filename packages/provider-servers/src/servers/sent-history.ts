import type { ProviderServer } from './http.js';

/**
 * Returns the history that each request sent, as a flat list of blocks and items without thinking and cache marks, each with
 * its author's role, as JSON.
 */
export function sentTo({ requests }: Pick<ProviderServer, 'requests'>): readonly (readonly string[])[] {
  return requests.map(({ body }) => {
    const { messages, input } = body as { messages?: readonly Sent[]; input?: readonly Sent[] };
    return (messages ?? input ?? []).flatMap((message) => {
      if (!Array.isArray(message.content)) return [written(message)];
      const blocks = message.content as readonly Sent[];
      const [only] = blocks;
      // A mark makes a block of a text.
      if (blocks.length === 1 && only !== undefined && isPlainText(only)) {
        return [written({ ...message, content: only.text })];
      }
      return blocks.filter(({ type }) => type !== 'thinking').map((block) => written([message.role, block]));
    });
  });
}

interface Sent {
  readonly role?: string;
  readonly type?: string;
  readonly text?: unknown;
  readonly content?: unknown;
}

const marks: ReadonlySet<string> = new Set(['cache_control', 'prompt_cache_breakpoint']);

/** Marks move between requests, and a cache does not read them. */
function written(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (marks.has(key) ? undefined : inner));
}

function isPlainText(block: Sent): boolean {
  return Object.keys(block).every((key) => key === 'type' || key === 'text' || marks.has(key)) && 'text' in block;
}

/**
 * Returns the requests, by their index in {@link sentTo}, whose history does not begin with the one before: a prompt cache
 * misses there.
 */
export function rewritesIn(sent: readonly (readonly string[])[]): readonly number[] {
  return sent.flatMap((blocks, index) => {
    const before = sent[index - 1] ?? [];
    return before.every((block, place) => block === blocks[place]) ? [] : [index];
  });
}
