import { defineTool } from '@palimpsest/events';
import type { Event, Tool } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedLLMOptions } from '@palimpsest/llm-adapters/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import type { AgentOptions } from '../agent-options.js';
import { Conversation } from '../conversation/conversation.js';
import { assertOutputLimit, shownCharacters } from './output.js';
import { readOutputTool } from './built-in-tools.js';

describe('how much of an output is shown', () => {
  test('30000 characters, and no more than a tenth of the window', () => {
    expect(shownCharacters({}, 200_000, 1)).toEqual({ most: 30_000, preview: 30_000 });
    expect(shownCharacters({}, 50_000, 1).most).toBe(20_000);
    expect(shownCharacters({ windowShare: 0.5 }, 50_000, 1).most).toBe(30_000);
    expect(shownCharacters({ maxCharacters: Infinity, windowShare: 1 }, 50_000, 1).most).toBe(200_000);
  });

  test('an unknown window counts as 32000 tokens', () => {
    expect(shownCharacters({}, undefined, 1).most).toBe(12_800);
  });

  test('the calls of one response share three times as much, and each is shown something', () => {
    expect(shownCharacters({}, 100_000, 3).most).toBe(30_000);
    expect(shownCharacters({}, 100_000, 9).most).toBe(10_000);
    expect(shownCharacters({}, 100_000, 10_000).most).toBe(400);
    expect(shownCharacters({ maxCharacters: 100 }, 100_000, 10_000).most).toBe(100);
  });

  test('a preview is never longer than what may be shown whole', () => {
    expect(shownCharacters({ previewCharacters: 4_000 }, 100_000, 1)).toEqual({ most: 30_000, preview: 4_000 });
    expect(shownCharacters({ previewCharacters: 4_000 }, 5_000, 1)).toEqual({ most: 2_000, preview: 2_000 });
  });

  test('numbers out of range are refused', () => {
    expect(() => assertOutputLimit({ maxCharacters: Infinity })).not.toThrow();
    for (const limit of [{ maxCharacters: -1 }, { previewCharacters: 0.5 }, { windowShare: 0 }, { windowShare: 2 }]) {
      expect(() => assertOutputLimit(limit)).toThrow(RangeError);
    }
  });
});

describe('in a run', () => {
  const megabyte = Array.from({ length: 20_000 }, (_, line) => `line ${line}: ${'.'.repeat(38)}`).join('\n');
  const dump = defineTool({
    name: 'dump',
    description: '',
    input: z.object({}),
    annotations: { parallel: true },
    execute: () => megabyte,
  });

  async function run(script: ScriptedLLMOptions['script'], options: Partial<AgentOptions> = {}) {
    const llm = scriptedLLM({ script, contextWindow: 100_000 });
    const agent = new Agent({ llm, tools: [dump], ...options });
    const conversation = await Conversation.open({ agent });
    await conversation.send('Go.');
    return { outcome: await conversation.run(), events: [...conversation.events], llm };
  }
  const observations = (events: readonly Event[]) => events.filter((event) => event.type === 'observation');
  const sizeOf = (event: Event) => JSON.stringify((event as { readonly content?: unknown }).content).length;

  test('without options the model is shown a part from the first time on, and the log holds the whole', async () => {
    const { outcome, events, llm } = await run([{ toolCalls: [{ name: 'dump' }] }, 'Done.']);
    expect(outcome).toMatchObject({ status: 'finished', condensations: 0 });
    const [result] = observations(events);
    expect(result && sizeOf(result)).toBeLessThan(31_500);
    const whole = events.find(({ type }) => type === 'agent/tool-output');
    expect(whole).toMatchObject({ text: megabyte, toolName: 'dump', id: result?.details?.['outputHandle'] });
    expect(events.indexOf(whole as Event)).toBeLessThan(events.indexOf(result as Event));
    const shown = JSON.stringify(llm.requests.at(-1)?.messages);
    expect(shown).toContain('line 0: ');
    expect(shown).toContain('line 19999: ');
    expect(shown).toContain(`of them, ask for less`);
    expect(shown).not.toContain('read_output');
  });

  test('many at once share what one response may show', async () => {
    const toolCalls = Array.from({ length: 30 }, () => ({ name: 'dump' }));
    const { outcome, events } = await run([{ toolCalls }, 'Done.']);
    expect(outcome).toMatchObject({ status: 'finished', condensations: 0 });
    const sizes = observations(events).map(sizeOf);
    expect(sizes).toHaveLength(30);
    expect(sizes.reduce((one, other) => one + other)).toBeLessThan(100_000);
  });

  test('the model reads the whole with the tool, also in another process and with a small window', async () => {
    let text = '';
    const part = (message: unknown) => (message as { content: { text: string }[] }).content[0]?.text ?? '';
    const { outcome } = await run(
      ({ messages }, index) => {
        if (index === 0) return { toolCalls: [{ name: 'dump' }] };
        const last = part(messages.at(-1));
        if (index > 1) text += last.slice(last.indexOf('\n') + 1);
        if (index > 5) return 'Done.';
        const handle = /handle '([^']+)'/.exec(part(messages[2]))?.[1] ?? '';
        return { toolCalls: [{ name: 'read_output', arguments: { handle, offset: text.length, length: 20_000 } }] };
      },
      { tools: [dump, readOutputTool()], output: { windowShare: 0.01 } },
    );
    expect(outcome).toMatchObject({ status: 'finished' });
    expect(text.length).toBe(5 * (4_000 - 80));
    expect(megabyte.startsWith(text)).toBe(true);
  });

  test('a tool can ask how much will be shown', async () => {
    const seen: (number | undefined)[] = [];
    const curious = defineTool({
      name: 'curious',
      description: '',
      input: z.object({}),
      execute: (_, { maxOutputCharacters }) => (seen.push(maxOutputCharacters), 'ok'),
    });
    await run([{ toolCalls: [{ name: 'curious' }] }, 'Done.'], { tools: [curious], maxOutputTokens: 20_000 });
    expect(seen).toEqual([30_000]);
    await run([{ toolCalls: [{ name: 'curious' }] }, 'Done.'], { tools: [curious], maxOutputTokens: 50_000 });
    expect(seen.at(-1)).toBe(20_000);
  });

  test('the quoted input of a refused call is cut, too', async () => {
    const picky: Tool = {
      ...dump,
      name: 'picky',
      parseInput: () => {
        throw new TypeError(`Not this: ${megabyte}`);
      },
    };
    const { outcome, events } = await run([{ toolCalls: [{ name: 'picky' }] }, 'Done.'], { tools: [picky] });
    expect(outcome).toMatchObject({ status: 'finished' });
    const error = events.find((event) => event.type === 'agent-error');
    expect(error?.error.length).toBeLessThan(31_000);
    expect(events.some(({ type }) => type === 'agent/tool-output')).toBe(true);
  });
});
