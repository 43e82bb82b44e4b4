import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { anyCharacter } from '../../test-support/any-character.js';
import { toolNames } from './tool-names.js';

const request = (...names: string[]) => ({
  messages: [],
  tools: names.map((name) => ({ name, description: '', inputSchema: {} })),
});

describe('toolNames', () => {
  it('keeps a name that fits', () => {
    expect(toolNames(request('read_file-2')).toWire('read_file-2')).toBe('read_file-2');
  });

  it('gives any other the same name in every request', () => {
    const alone = toolNames(request('files.read')).toWire('files.read');
    expect(alone).toMatch(/^files_read_[0-9a-f]{16}$/);
    expect(toolNames(request('a', 'files/read', 'files.read')).toWire('files.read')).toBe(alone);
  });

  it('never gives two tools one name, not even one that was made to look like another', () => {
    const alias = toolNames(request('files.read')).toWire('files.read');
    const names = toolNames(request('files.read', alias));
    expect(names.toWire(alias)).toBe(alias);
    expect(names.toWire('files.read')).not.toBe(alias);
    expect(names.fromWire(names.toWire('files.read'))).toBe('files.read');
  });

  it('knows a tool by its name with and without halves of surrogate pairs', () => {
    const names = toolNames({
      ...request('a\ud83d', 'a\ude00'),
      messages: [{ role: 'tool', toolCallId: '1', toolName: 'a\ufffd', content: [] }],
    });
    const sent = ['a\ud83d', 'a\ude00', 'a\ufffd'].map((name) => names.toWire(name));
    expect(sent[2]).toBe(sent[0]);
    expect(sent[1]).not.toBe(sent[0]);
    expect(names.fromWire(sent[0] ?? '')).toBe('a\ud83d');
  });

  it('knows the names of calls and results in the history', () => {
    const names = toolNames({
      messages: [
        { role: 'assistant', content: [], toolCalls: [{ id: '1', name: 'old tool', arguments: '{}' }] },
        { role: 'tool', toolCallId: '1', toolName: 'older tool', content: [] },
      ],
    });
    expect(names.fromWire(names.toWire('old tool'))).toBe('old tool');
    expect(names.fromWire(names.toWire('older tool'))).toBe('older tool');
    expect(names.fromWire('made-up')).toBe('made-up');
  });

  test('fits, differs and goes back, for any names', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 100, unit: anyCharacter }), { maxLength: 20 }),
        (all) => {
          const names = toolNames(request(...all));
          const sent = all.map((name) => names.toWire(name));
          expect(new Set(sent).size).toBe(all.length);
          for (const name of sent) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          expect(sent.map((name) => names.fromWire(name))).toEqual(all);
        },
      ),
      {
        seed: 20_261_123,
      },
    );
  });
});
