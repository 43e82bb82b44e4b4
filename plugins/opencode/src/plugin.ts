import { fileEventStore } from '@palimpsest/events/file';
import { Boundary, HostSessions } from '@palimpsest/plugin-kit';
import { messageIn, published } from './bus.js';
import type { Ask } from './bus.js';
import { Conversations } from './conversations.js';
import { factsFrom, noFacts } from './facts.js';
import type { Facts, HostClient } from './facts.js';
import type { Piece } from './list/apart.js';
import { opencodePieces } from './list/codec.js';
import type { PluginOptions } from './options.js';

/** A request does not wait longer for what opencode knows of its models. Unit: milliseconds. */
const factsWaitMs = 3_000;

/** The hooks of opencode that the plugin has. Each may get more than is named here. */
export interface Hooks {
  readonly config: (config: { readonly compaction?: { readonly reserved?: unknown } }) => Promise<void>;
  readonly event: (input: { readonly event: unknown }) => Promise<void>;
  readonly 'experimental.chat.messages.transform': (input: unknown, output: { messages: unknown }) => Promise<void>;
  readonly 'experimental.session.compacting': (input: { readonly sessionID: string }) => Promise<void>;
  readonly 'tool.definition': (input: { readonly toolID: string }, output: { jsonSchema?: unknown }) => Promise<void>;
  readonly tool: Readonly<Record<string, HostTool>>;
}

/** A tool, as a plugin declares it. */
interface HostTool {
  readonly description: string;
  /** The properties of its input, as JSON Schemas. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly execute: (input: unknown, context: { readonly sessionID: string }) => Promise<HostToolResult>;
}

interface HostToolResult {
  readonly output: string;
  readonly attachments?: readonly { readonly type: 'file'; readonly mime: string; readonly url: string }[];
}

/** Returns the hooks. None of them throws: a hook that throws ends what the agent is doing. */
export function hooksOf(client: HostClient, { directory, ...options }: PluginOptions): Hooks {
  let facts: Facts = noFacts;
  const loading = once(async () => {
    facts = await factsFrom(client);
  });
  const sessions = once(
    () =>
      new HostSessions<Piece>({
        ...options,
        codec: opencodePieces(),
        // A torn end of the log is cut off. A warning of the process would be printed over the terminal.
        store: fileEventStore({ directory, onRepair: () => undefined }),
        host: 'opencode',
        // opencode has thinking that does not verify dropped by the provider (`drop_block`).
        unknownThinking: 'sent',
        // It is known when the first session is.
        get hostVersion() {
          return facts.version;
        },
      }),
  );
  const conversations = once(() => new Conversations(sessions(), () => Promise.resolve(facts)));
  const boundary = new Boundary();
  let reserved: number | undefined;
  const publish = (body: unknown) => client.tui.publish({ body: body as never });
  // Every session of a host has the same tool.
  const recall = once(() => sessions().of('').recallTool);

  return {
    config: async ({ compaction }) => {
      if (typeof compaction?.reserved === 'number') reserved = compaction.reserved;
    },
    event: async ({ event }) => {
      const ask = messageIn('ask', event);
      if (ask === undefined) return;
      await quietly(async () => {
        const text = await answerTo(ask, conversations());
        await publish(published('answer', { id: ask.id, text }));
      });
    },
    'experimental.chat.messages.transform': async (_, output) => {
      if (!boundary.step()) return;
      await boundary.run(async () => {
        await Promise.race([loading().catch(() => undefined), waited(factsWaitMs)]);
        conversations().reserved = reserved;
        const fitted = await conversations().fit(output.messages);
        if (fitted === undefined) return;
        const { sessionID, session } = fitted;
        void quietly(() => publish(published('status', { sessionID, text: session.statusLine() })));
      });
    },
    'experimental.session.compacting': async ({ sessionID }) => {
      await quietly(async () => conversations().compacting(sessionID));
    },
    'tool.definition': async ({ toolID }, output) => {
      // The properties alone would all be required.
      if (toolID === 'recall') output.jsonSchema = recall().inputSchema;
    },
    tool: {
      recall: {
        description: recall().description,
        args: (recall().inputSchema['properties'] ?? {}) as Readonly<Record<string, unknown>>,
        execute: async (input, { sessionID }) => {
          const { content } = await sessions().of(sessionID).recall(input);
          const output = content.flatMap((part) => (part.type === 'text' ? [String(part['text'])] : [])).join('\n');
          const images = content.flatMap((part) => {
            const url = part.type === 'image' ? String(part['url']) : '';
            const mime = /^data:([^;,]+)/.exec(url)?.[1];
            return mime === undefined ? [] : [{ type: 'file', mime, url } as const];
          });
          return { output, ...(images.length === 0 ? {} : { attachments: images }) };
        },
      },
    },
  };
}

async function answerTo({ verb, sessionID, focus }: Ask, conversations: Conversations): Promise<string | undefined> {
  const session = conversations.session(sessionID);
  switch (verb) {
    case 'status':
      return session.newest === undefined && session.isOn ? undefined : session.statusLine();
    case 'condense':
      return session.condense(focus);
    case 'condensed':
      return session.condensedPage();
    case 'undo-price':
      return session.undoPrice();
    case 'undo':
      return session.undo();
    case 'switch':
      session.turn(!session.isOn);
      return session.isOn
        ? 'Palimpsest is on in this session.'
        : 'Palimpsest is off in this session: the model gets all of the conversation from the next request on.';
    default:
      return undefined;
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

async function quietly(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch {
    // What is said to nobody matters less than the session.
  }
}

function waited(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
