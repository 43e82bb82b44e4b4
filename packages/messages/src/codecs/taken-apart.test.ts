import { condensation } from '@palimpsest/view';
import { describe, expect, it, test } from 'vitest';
import { anthropicMessages, condensedHistory, takenApart } from '../index.js';
import type { AnthropicMessageLike, Codec, Joints } from '../index.js';
import { codecContract } from '../testing/index.js';

/** A host of which one message holds what was said, and calls with their results. */
interface Turn {
  readonly words?: string;
  readonly runs?: readonly { readonly id: string; readonly path: string; readonly output: string }[];
}

interface Piece extends AnthropicMessageLike {
  readonly content: unknown;
}

const joints: Joints<Turn, Piece> = {
  apart: ({ words, runs }) => {
    const text = words === undefined ? [] : [{ type: 'text', text: words }];
    if (runs === undefined) return [{ role: 'user', content: text }];
    const calls = runs.map(({ id, path }) => ({ type: 'tool_use', id, name: 'read', input: { path } }));
    const results = runs.map(({ id, output }) => ({ type: 'tool_result', tool_use_id: id, content: output }));
    return [
      { role: 'assistant', content: [...text, ...calls] },
      { role: 'user', content: results },
    ];
  },
  joined: (pieces, whole) => ({
    words: `${whole === undefined ? 'new' : 'changed'}: ${pieces.map(({ content }) => JSON.stringify(content)).join(' | ')}`,
  }),
};

function turns(): Turn[] {
  const steps = Array.from({ length: 12 }, (_, step) => ({
    words: `Step ${step}.`,
    runs: [0, 1].map((run) => ({ id: `call_${step}_${run}`, path: `${step}.ts`, output: `Content ${step}.` })),
  }));
  return [{ words: 'Read the files.' }, ...steps, { words: 'And what do they do?' }];
}

describe('the pieces of a list whose messages hold calls and results', () => {
  codecContract<AnthropicMessageLike>({
    test,
    create: () => anthropicMessages(),
    conversations: () => [takenApart(turns(), joints).pieces],
  });
});

describe('takenApart', () => {
  it("gives the host's own messages back where nothing is changed", () => {
    const list = turns();
    const { pieces, together } = takenApart(list, joints);
    expect(pieces).toHaveLength(26);
    const again = together(pieces);
    expect(again.every((turn, index) => turn === list[index])).toBe(true);
    expect(again).toHaveLength(list.length);
    expect(JSON.stringify(pieces)).not.toContain('origin');
  });

  it('makes anew only what a fit has changed', async () => {
    const list = turns();
    const { pieces, together } = takenApart(list, joints);
    const history = condensedHistory<Piece>({
      codec: anthropicMessages() as Codec<Piece>,
      condenser: {
        name: 'forgetting',
        condense: (view) => {
          const cuts = [...view.cutPoints];
          const [start, end] = [cuts[1], cuts[5]];
          if (view.condensations.length > 0 || start === undefined || end === undefined) return view;
          return condensation({ view, start, end, summary: 'Four steps.' });
        },
      },
    });
    const { messages, problem } = await history.fit(pieces);
    expect(problem).toBeUndefined();
    const sent = together(messages);
    expect(sent.filter((turn) => !list.includes(turn))).toEqual([{ words: 'new: "Four steps."' }]);
    expect(sent.length).toBeLessThan(list.length);
  });

  it('puts the pieces of a message together of which one is changed or missing', () => {
    const list = turns().slice(0, 3);
    const { pieces, together } = takenApart(list, joints);
    const [user, call, result, ...rest] = pieces as [Piece, Piece, Piece, ...Piece[]];
    expect(together([user, call, { ...result, content: 'cleared' }, ...rest])).toEqual([
      list[0],
      { words: expect.stringMatching(/^changed: .* \| "cleared"$/) as string },
      list[2],
    ]);
    expect(together([user, call])).toEqual([list[0], { words: expect.stringMatching(/^changed: /) as string }]);
  });
});
