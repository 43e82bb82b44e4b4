import { anthropicMessages, condensedHistory, takenApart } from '@palimpsest/messages';
import { codecContract } from '@palimpsest/messages/testing';
import { checkAnthropicRequest } from '@palimpsest/provider-servers/rules';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, it, test } from 'vitest';
import {
  answer,
  compactedList,
  imageUrl,
  loopOf,
  oldList,
  richList,
  steps,
  toolPart,
  userMessage,
} from '../../test-support/host-lists.js';
import type { Piece } from './apart.js';
import { apart } from './apart.js';
import { opencodePieces } from './codec.js';
import { isHostList } from './host.js';
import type { HostMessage } from './host.js';
import { jointsOf } from './joined.js';

const lists = { loop: () => loopOf(14), rich: richList, compacted: compactedList, old: oldList };

function piecesOf(list: readonly HostMessage[]): readonly Piece[] {
  return takenApart(list, jointsOf(list)).pieces;
}

/** What the provider refuses of a list, written as opencode writes it. */
function problemsOf(list: readonly HostMessage[]): readonly string[] {
  const messages: { role: string; content: object[] }[] = [];
  for (const { role, content } of list.flatMap((message) => apart(message))) {
    const blocks = (typeof content === 'string' ? [{ type: 'text', text: content }] : content).flatMap((block) => {
      const { part: _, ...rest } = block;
      return block.type === 'provider_tool' ? [{ type: 'text', text: 'A search.' }] : [rest];
    });
    if (blocks.length === 0) continue;
    if (messages.at(-1)?.role === role) messages.at(-1)?.content.push(...blocks);
    else messages.push({ role, content: blocks });
  }
  const tools = [{ name: 'read', input_schema: { type: 'object' } }];
  return checkAnthropicRequest({ model: 'claude-opus-4-5', max_tokens: 100, tools, messages }).map(
    ({ rule, path, message }) => `${rule} ${path} ${message}`,
  );
}

describe("the codec of opencode's messages, taken apart", () => {
  codecContract<Piece>({
    test,
    create: () => opencodePieces(),
    conversations: () => Object.values(lists).map((list) => piecesOf(list())),
  });
});

describe.each(Object.entries(lists))('a list of opencode: %s', (_, create) => {
  it('is known, has no problem, and comes back as it is', () => {
    const list = create();
    expect(isHostList(list)).toBe(true);
    expect(problemsOf(list)).toEqual([]);
    const { pieces, together } = takenApart(list, jointsOf(list));
    expect(together(pieces).every((message, index) => message === list[index])).toBe(true);
    // A piece that a codec copied without a change is the same message again.
    const copies = together(pieces.map((piece) => ({ ...piece })));
    expect(copies.map(({ info, parts }) => ({ info, parts }))).toEqual(list.filter((one) => problemless(one)));
  });

  it('is put together again without a problem, wherever a condensation cuts', async () => {
    for (let start = 1; start < 6; start++) {
      for (let end = start + 1; end < start + 8; end++) {
        const list = create();
        const before = structuredClone(list);
        const { pieces, together } = takenApart(list, jointsOf(list));
        const history = condensedHistory({ condenser: forgetting(start, end), codec: opencodePieces() });
        const { messages, problem } = await history.fit(pieces);
        expect(problem).toBeUndefined();
        const sent = together(messages);
        expect(problemsOf(sent), `${start} to ${end}`).toEqual([]);
        expect(list).toEqual(before);
        const changed = sent.filter((message) => !list.includes(message));
        // The summary, and the two halves of a message that it stands in.
        expect(changed.length).toBeLessThanOrEqual(3);
      }
    }
  });
});

/** A message that the provider does not get is left out where nothing else of it is to be sent. */
function problemless(message: HostMessage): boolean {
  return apart(message).some(({ content }) => content.length > 0);
}

function forgetting(start: number, end: number): Condenser {
  return {
    name: 'forgetting',
    condense: (view) => {
      const cuts = [...view.cutPoints];
      const [from, to] = [cuts[start], cuts[end]];
      if (view.condensations.length > 0 || from === undefined || to === undefined) return view;
      try {
        return condensation({ view, start: from, end: to, summary: 'Some steps were taken.' });
      } catch {
        return view;
      }
    },
  };
}

describe('a message that is put together again', () => {
  const change = (message: HostMessage, changes: Parameters<ReturnType<typeof opencodePieces>['changed']>[1]) => {
    const list = [userMessage('Go.'), message];
    const { pieces, together } = takenApart(list, jointsOf(list));
    const codec = opencodePieces();
    return together(pieces.flatMap((piece) => codec.changed(piece, changes) ?? []))[1];
  };
  const content = [{ type: 'text', text: 'Cleared.' }] as const;
  const stateOf = (message: HostMessage | undefined, id: string) =>
    message?.parts.find(({ callID }) => callID === id)?.state;

  it.each([
    ['an output', {}, { status: 'completed', output: 'Cleared.', title: 'call.ts' }],
    ['an error', { status: 'error', error: 'No such file.' }, { status: 'error', error: 'Cleared.' }],
    [
      'a stopped shell',
      { status: 'error', error: 'Aborted', metadata: { interrupted: true, output: 'Half.' } },
      { status: 'error', metadata: { interrupted: true, output: 'Cleared.' } },
    ],
    ['a call that was not run', { status: 'pending', raw: '' }, { status: 'error', error: 'Cleared.' }],
  ])('has %s changed in its state, and nothing else', (_, state, expected) => {
    const message = answer([toolPart('call', state), toolPart('other')]);
    const changed = change(message, { results: new Map([['call', { content }]]) });
    expect(stateOf(changed, 'call')).toMatchObject(expected);
    expect(stateOf(changed, 'other')).toBe(stateOf(message, 'other'));
    expect(changed?.info).toBe(message.info);
    expect(changed?.parts.map(({ type }) => type)).toEqual(message.parts.map(({ type }) => type));
  });

  it('keeps an image whose text is changed, and shows an output that was cleared', () => {
    const image = { type: 'file', mime: 'image/png', url: imageUrl };
    const message = answer([toolPart('call', { attachments: [image], time: { start: 1, end: 2, compacted: 3 } })]);
    const line = change(message, { results: new Map([['call', { line: 'Ask for it.' }]]) });
    expect(stateOf(line, 'call')).toMatchObject({ attachments: [image], time: { start: 1, end: 2 } });
    const cleared = change(message, { results: new Map([['call', { content }]]) });
    expect(stateOf(cleared, 'call')).not.toHaveProperty('attachments');
    const kept = [...content, { type: 'image', url: imageUrl } as const];
    const changed = change(message, { results: new Map([['call', { content: kept }]]) });
    expect(stateOf(changed, 'call')).toMatchObject({ output: 'Cleared.', attachments: [image] });
  });

  it('loses a call with its result, masks arguments, and leaves thinking out', () => {
    const [message] = steps(2, 3) as [HostMessage];
    const without = change(message, {
      calls: new Map([['call_2_0', 'left-out']]),
      results: new Map([['call_2_0', 'left-out']]),
      thinking: 'left-out',
    });
    expect(without?.parts.map(({ type }) => type)).toEqual(['step-start', 'text', 'tool', 'step-finish']);
    const masked = change(message, { calls: new Map([['call_2_0', { arguments: '{"masked":true}' }]]) });
    expect(stateOf(masked, 'call_2_0')).toMatchObject({ input: { masked: true }, status: 'completed' });
  });

  it('has new words where the old ones stood', () => {
    const message = answer([{ type: 'text', text: 'Old.' }, toolPart('call')]);
    const changed = change(message, { words: [{ type: 'text', text: 'New.' }] });
    expect(changed?.parts.map(({ type, text }) => text ?? type)).toEqual(['step-start', 'New.', 'tool', 'step-finish']);
  });
});

it("does not know a list of another shape, and keeps opencode's summary", () => {
  const [first, ...rest] = loopOf(2) as [HostMessage, ...HostMessage[]];
  const other = { ...first, info: { ...first.info, id: 'other', sessionID: 'ses_2' } };
  for (const list of [
    undefined,
    [],
    [null],
    [{}],
    [{ info: {}, parts: [] }],
    [first, first],
    [first, other, ...rest],
  ]) {
    expect(isHostList(list)).toBe(false);
  }
  const [, summary] = piecesOf(compactedList());
  expect(opencodePieces().read(summary)).toMatchObject({ role: 'assistant', isBarrier: true });
  expect(anthropicMessages().read(summary)).not.toHaveProperty('isBarrier');
});
