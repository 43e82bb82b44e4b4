import { addressOf } from '@palimpsest/events';
import type { ContentPart, Event, ToolOutput } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { recallTool } from './recall.js';
import { directive } from '../test-support/directive-builder.js';
import { logOf, toolContext } from '../test-support/minimal-loop.js';

const original = Array.from({ length: 400 }, (_, line) => `${line}: contents\n`).join('');

async function recall(log: LogBuilder, input: object, maxCharacters?: number) {
  const tool = recallTool(maxCharacters === undefined ? {} : { maxCharacters });
  const context = toolContext(await logOf(log.events), log.action('recall_event'));
  const output = (await tool.execute(tool.parseInput(input), context)) as Exclude<ToolOutput, string>;
  const parts: readonly ContentPart[] =
    typeof output.content === 'string' ? [{ type: 'text', text: output.content }] : output.content;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return { text, parts, isError: output.isError === true, details: output.details };
}

describe('recall', () => {
  test('returns a redacted and a forgotten result as they were, by their labels', async () => {
    const log = logBuilder();
    const redacted = log.call('read', {}, original).result;
    const forgotten = log.call('search', {}, `${original}2`);
    directive(log, redacted);
    log.condensation([forgotten.action, forgotten.result]);
    const first = await recall(log, { event_id: `[event_id: ${addressOf(redacted.id)}]` });
    expect(first.text).toBe(
      `Original of ${addressOf(redacted.id)} (result of read), characters 0 to ${original.length} of ${original.length}.\n${original}`,
    );
    const second = await recall(log, { event_id: addressOf(forgotten.result.id) });
    expect(second.text.endsWith(`${original}2`)).toBe(true);
    expect(second.details).toEqual({
      eventId: forgotten.result.id,
      from: 0,
      to: original.length + 1,
      length: original.length + 1,
    });
  });

  test('returns long ones in parts that make up the whole, and cuts no character in two', async () => {
    const log = logBuilder();
    const whole = `ab${'😀'.repeat(30)}c`;
    const { result } = log.call('read', {}, whole);
    let offset = 0;
    let together = '';
    for (let part = 0; offset < whole.length; part++) {
      const { text, details } = await recall(log, { event_id: result.id, offset }, 7);
      const body = text.slice(text.indexOf('\n') + 1);
      expect(body.isWellFormed()).toBe(true);
      together += body;
      const next = (details as { to: number }).to;
      expect(text.includes(`Go on with offset ${next}.`)).toBe(next < whole.length);
      expect(next).toBeGreaterThan(offset);
      offset = next;
      expect(part).toBeLessThan(20);
    }
    expect(together).toBe(whole);
  });

  test('returns images with the first part, calls with their arguments, words, errors and refusals', async () => {
    const log = logBuilder();
    const user = log.user('the task in full');
    const image = { type: 'image', url: 'data:image/png;base64,AA' } as const;
    const shown = log.call('look', { at: 'x' }, [{ type: 'text', text: 'a picture' }, image]);
    const failed = log.error(log.action('run'), 'it broke');
    const refused = log.reject(log.action('delete'), 'never');
    expect((await recall(log, { event_id: shown.result.id })).parts).toMatchObject([{ type: 'text' }, image]);
    expect((await recall(log, { event_id: shown.action.id })).text).toContain('look({"at":"x"})');
    expect((await recall(log, { event_id: user.id })).text).toContain('the task in full');
    expect((await recall(log, { event_id: failed.id })).text).toContain('it broke');
    expect((await recall(log, { event_id: refused.id })).text).toContain('Action rejected: never');
  });

  test('refuses what is not there, what fits two, what was never read, and a place past the end', async () => {
    const log = logBuilder();
    const system = log.system('secret instructions');
    const { result } = log.call('read', {}, original);
    for (const id of ['call_0', 'call_0']) log.batch([{ name: 'read', id, result: 'x' }]);
    const refused: [object, string][] = [
      [{ event_id: 'nowhere' }, 'unknown_event'],
      [{ event_id: 'call_0' }, 'ambiguous_event'],
      [{ event_id: system.id }, 'not_recallable'],
      [{ event_id: log.usage().id }, 'not_recallable'],
      [{ event_id: result.id, offset: original.length }, 'past_the_end'],
    ];
    for (const [input, code] of refused) {
      const { text, isError } = await recall(log, input);
      expect(isError).toBe(true);
      expect(text).toContain(`Code: ${code}.`);
      expect(text).not.toContain('secret instructions');
    }
  });

  test('changes nothing, and has a strict schema', async () => {
    const log = logBuilder();
    const { result } = log.call('read', {}, original);
    const stored = await logOf(log.events);
    const before: readonly Event[] = [...stored];
    const tool = recallTool();
    await tool.execute({ event_id: result.id }, toolContext(stored, log.action('recall_event')));
    expect([...stored]).toEqual(before);
    expect(tool.annotations).toEqual({ readOnly: true, repeatable: true, parallel: true });
    expect(tool.inputSchema).toMatchObject({ required: ['event_id'], additionalProperties: false });
    for (const input of [{}, { event_id: ' ' }, { event_id: 'x', offset: -1 }, { event_id: 'x', more: 1 }]) {
      expect(() => tool.parseInput(input)).toThrow(/Invalid input for 'recall_event'/);
    }
    for (const limit of [0, 1.5, -1, NaN]) expect(() => recallTool({ maxCharacters: limit })).toThrow(RangeError);
  });
});
