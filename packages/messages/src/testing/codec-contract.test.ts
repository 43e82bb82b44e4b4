import type { TextContent } from '@palimpsest/events';
import type { Piece } from '@palimpsest/llm-adapters/wire';
import { describe, expect, it } from 'vitest';
import { richChatHistory } from '../../test-support/chat-loop.js';
import { anthropicHistory, richAnthropicHistory } from '../../test-support/anthropic-loop.js';
import { anthropicMessages, chatMessages } from '../index.js';
import type { Codec, HostMessage } from '../index.js';
import { codecContract } from './index.js';

type Message = { readonly role: string };

/** The rules that a codec breaks: of all, or of one. */
async function broken(
  create: () => Codec<Message>,
  conversations: () => readonly (readonly Message[])[],
  only?: string,
): Promise<readonly string[]> {
  const rules: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  codecContract({ test: (name, run) => rules.push({ name, run }), create, conversations });
  const failed: string[] = [];
  for (const { name, run } of rules)
    if (only === undefined || name === only) await run().catch(() => failed.push(name));
  return failed;
}

const chat = () => [richChatHistory() as Message[]];
const anthropic = () => [anthropicHistory(14), richAnthropicHistory()] as Message[][];
const of = (change: (codec: Codec<Message>) => Partial<Codec<Message>>) => () => {
  const codec = chatMessages() as Codec<Message>;
  return { ...codec, ...change(codec) };
};
const ofAnthropic = (change: (codec: Codec<Message>) => Partial<Codec<Message>>) => () => {
  const codec = anthropicMessages() as Codec<Message>;
  return { ...codec, ...change(codec) };
};

describe('the contract of a codec', () => {
  it.each<[string, () => Codec<Message>, string]>([
    [
      'copies what is unchanged',
      of(({ changed }) => ({ changed: (message, changes) => ({ ...(changed(message, changes) ?? message) }) })),
      'returns the same message where no change concerns it',
    ],
    [
      'ignores changes',
      of(() => ({ changed: (message) => message })),
      'changes the content of a result, and nothing else',
    ],
    [
      'loses what a result said',
      of(({ changed }) => ({
        changed: (message, { results, ...rest }) =>
          changed(message, {
            ...rest,
            results:
              results &&
              new Map(
                [...results].map(([id, change]) => [id, change === 'left-out' ? change : { content: [], ...change }]),
              ),
          }),
      })),
      'adds a line to a result, and keeps what it said',
    ],
    [
      'keeps calls that are left out',
      of(({ changed }) => ({ changed: (message, { calls: _, ...rest }) => changed(message, rest) })),
      'masks the arguments of a call, and leaves a call out',
    ],
    [
      'summarises as the model',
      of(() => ({ summary: (text) => ({ role: 'assistant', content: text }) as Message })),
      'writes a summary that reads as one text of the user',
    ],
    [
      'throws at what it does not know',
      of(({ read }) => ({
        changed: (message) => message,
        read: (message) => (message === null ? (JSON.parse('{') as HostMessage) : read(message)),
      })),
      'never throws, whatever the list holds',
    ],
    [
      'names calls anew at each look',
      of(({ read }) => ({
        read: (message) => {
          const host = read(message);
          return {
            ...host,
            pieces: host.pieces.map((piece) => (piece.type === 'call' ? { ...piece, id: `${Math.random()}` } : piece)),
          };
        },
      })),
      'reads every message of a clean conversation',
    ],
    [
      'extracts a call with the words beside it',
      of(() => ({ extracted: (message) => message })),
      'extracts a call or a result, alone and under another id',
    ],
    [
      'gives a second result the id of the first',
      of(({ extracted }) => ({ extracted: (message, id) => extracted(message, id, id) })),
      'sends the newest of two results of a call, with a call of its own',
    ],
    [
      'takes a mark for content',
      of(({ read }) => ({
        read: (message) => {
          const host = read(message);
          return {
            ...host,
            pieces: [...host.pieces, { type: 'unread', path: '', reason: 'all', value: JSON.stringify(message) }],
          };
        },
      })),
      'reads a cache mark as no difference, and sets one again',
    ],
    [
      'changes messages in place',
      of(({ changed }) => ({
        changed: (message, changes) =>
          changes.results === undefined ? changed(message, changes) : Object.assign(message, changed(message, changes)),
      })),
      'changes the content of a result, and nothing else',
    ],
    [
      'says that the objects of the host are new',
      of(({ read }) => ({
        read: (message) => {
          const host = read(message);
          const content: unknown = (message as { readonly content?: unknown } | undefined)?.content;
          if (host.role !== 'user' || !Array.isArray(content)) return host;
          return { ...host, pieces: content.map((part): Piece => ({ type: 'content', part: part as TextContent })) };
        },
      })),
      'says truly that its pieces are new',
    ],
    [
      'says that what makes no event does',
      of(({ read }) => ({
        read: (message) => {
          const host = read(message);
          return host.role === 'user' ? { ...host, sender: null as unknown as string } : host;
        },
      })),
      'says truly that its pieces are new',
    ],
  ])('catches a codec that %s', async (_, create, rule) => {
    expect(await broken(create, chat, rule)).toEqual([rule]);
  });

  it('catches a codec that keeps thinking', async () => {
    const keeping = ofAnthropic(({ changed }) => ({
      changed: (message, { thinking: _, ...rest }) => changed(message, rest),
    }));
    const rule = 'leaves thinking out, all of it, and nothing else';
    expect(await broken(keeping, anthropic, rule)).toEqual([rule]);
  });

  it('catches a codec that forgets a result without its call', async () => {
    const torn = of(({ read }) => ({
      read: (message) => {
        const host = read(message);
        const role = host.pieces.some(({ type }) => type === 'result') ? 'user' : host.role;
        const pieces = host.pieces.flatMap((piece): readonly Piece[] =>
          piece.type === 'result' ? piece.content : [piece],
        );
        return { ...host, ...(role === undefined ? {} : { role }), pieces };
      },
    }));
    expect((await broken(torn, chat)).length).toBeGreaterThan(0);
  });

  it('passes the codecs of this package', async () => {
    expect(
      await broken(
        of(() => ({})),
        chat,
      ),
    ).toEqual([]);
    expect(
      await broken(
        ofAnthropic(() => ({})),
        anthropic,
      ),
    ).toEqual([]);
  });
});
