import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, EventLog, userMessage } from '@palimpsest/events';
import type { Message } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { View, condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { relevanceCondenser } from './condenser.js';
import { relevanceDirectives } from './directive.js';
import { observationLabel } from './labels.js';
import { recallTool } from './recall/recall-tool.js';
import { logOf, resultTexts, runLoop } from '../test-support/minimal-loop.js';
import type { Turn } from '../test-support/minimal-loop.js';
import { relevanceTool } from './tool.js';

const contents = (path: string) => `${path}: `.padEnd(60, '.') + '\nline'.repeat(400);

const read = defineTool({
  name: 'read',
  description: 'Read a file.',
  input: z.object({ path: z.string() }),
  execute: ({ path }) => contents(path),
});

const readFile = (path: string) => ({ name: 'read', input: { path }, id: `read-${path}` });
const redact = (event_id: string, summary_text = 'Read; nothing in it matters.') => ({
  name: 'relevance_condenser',
  input: { event_id, summary_text },
});

/** The label under a result, as the model sees it. */
function labelOn(messages: readonly Message[], callId: string): string {
  const match = /\[event_id: (\w+)\]$/.exec(resultTexts(messages).get(callId) ?? '');
  if (match?.[1] === undefined) throw new Error(`no label on ${callId}`);
  return match[1];
}

/** Reads a, reads b, marks a while it reads c, and reads on. */
function session(messages: readonly Message[], call: number): Turn {
  switch (call) {
    case 0:
      return { calls: [readFile('a')] };
    case 1:
      return { calls: [readFile('b')] };
    case 2:
      return { calls: [redact(labelOn(messages, 'read-a'), 'a is empty but for line 7.'), readFile('c')] };
    case 3:
      return { calls: [readFile('d')] };
    case 4:
      return { calls: [readFile('e')] };
    default:
      return { text: 'Done.' };
  }
}

async function started(): Promise<EventLog> {
  return logOf([userMessage('Look through the files.')]);
}

const redactedA = /^Response redacted: a is empty but for line 7\.\n\[event_id: \w{8}\]$/;

describe('the tool in a loop', () => {
  test('tool, directive, and at the next step one model call with the redacted text and its pairing intact', async () => {
    const log = await started();
    const tools = [read, relevanceTool()];
    const { requests, condensations } = await runLoop({
      log,
      tools,
      condenser: relevanceCondenser(),
      respond: session,
    });
    expect(requests).toHaveLength(6);
    expect(condensations).toEqual([]);
    expect(resultTexts(requests[2] ?? []).get('read-a')).toContain('line\nline');
    for (const messages of requests.slice(3)) {
      expect(resultTexts(messages).get('read-a')).toMatch(redactedA);
      expect(pairs(messages)).toBe(true);
      expect(labelOn(messages, 'read-a')).toBe(labelOn(requests[2] ?? [], 'read-a'));
    }
  });

  test('the next steps send the same again and more: a prefix, with no second directive or report', async () => {
    const log = await started();
    const tools = [read, relevanceTool()];
    const { requests, reports } = await runLoop({ log, tools, condenser: relevanceCondenser(), respond: session });
    for (const step of [3, 4]) {
      const [now, next] = [requests[step] ?? [], requests[step + 1] ?? []];
      expect(next.slice(0, now.length)).toEqual(now);
    }
    expect(relevanceDirectives(View.fromEvents(log))).toHaveLength(1);
    expect(reports.map(({ outcome }) => outcome)).toEqual(['relevance-applied']);
  });

  test('after a restart from disk the next request is the same, and so is every one before it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'relevance-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const store = fileEventStore({ directory });
    const log = new EventLog('session', { store });
    await log.append(userMessage('Look through the files.'));
    const tools = [read, relevanceTool()];
    const { requests, lengths } = await runLoop({ log, tools, condenser: relevanceCondenser(), respond: session });

    const reopened = fileEventStore({ directory });
    const events = [...(await EventLog.open('session', { store: reopened }))];
    expect(events).toEqual([...log]);
    for (const [index, length] of lengths.entries()) {
      const view = relevanceCondenser().condense(View.fromEvents(events.slice(0, length)), { report: () => undefined });
      expect(view.toMessages({ labelObservation: observationLabel })).toEqual(requests[index]);
    }
  });
});

describe('with a summariser', () => {
  /** Forgets everything but the last events once the list is long, and keeps what it was shown. */
  function summarising(maxSize: number, shown: string[]): Condenser {
    return {
      name: 'summarising',
      condense: (view) => {
        if (view.events.length <= maxSize || view.condensations.length > 0) return view;
        shown.push(JSON.stringify(view.toMessages()));
        return condensation({ view, start: 1, end: view.events.length - 6, summary: 'Some files were read.' });
      },
    };
  }

  /** Relevance first; what it returns is what the next one sees. */
  function inTurn(first: Condenser, second: Condenser): Condenser {
    return {
      name: 'in-turn',
      condense: async (view, context) => {
        const result = await first.condense(view, context);
        return 'type' in result ? result : second.condense(result, context);
      },
    };
  }

  test('it reads the redacted text, offsets stay right, and a forgotten target is no trouble', async () => {
    const log = await started();
    const shown: string[] = [];
    const tools = [read, relevanceTool()];
    const { requests, condensations, reports } = await runLoop({
      log,
      tools,
      condenser: inTurn(relevanceCondenser(), summarising(11, shown)),
      respond: session,
    });
    expect(condensations).toHaveLength(1);
    expect(shown[0]).toContain('Response redacted: a is empty');
    expect(shown[0]).not.toContain(JSON.stringify(contents('a')).slice(1, 200));
    const after = requests.at(-1) ?? [];
    expect(after[0]).toMatchObject({ role: 'user', content: [{}, { text: 'Some files were read.' }] });
    expect(pairs(after)).toBe(true);
    expect(reports.map(({ outcome }) => outcome)).toEqual(['relevance-applied']);
    expect(relevanceDirectives(View.fromEvents(log))).toEqual([]);
  });

  test('index shift: history is condensed between the moment when the model read the label and its request', async () => {
    const log = await started();
    const paths = ['a', 'b', 'c', 'd', 'e', 'f'];
    let labelOfE = '';
    let forget = false;
    const forgetful: Condenser = {
      name: 'forgetful',
      condense: (view) => {
        if (!forget) return view;
        forget = false;
        return condensation({ view, start: 1, end: 7, summary: 'a, b and c were read.' });
      },
    };
    const tools = [read, relevanceTool()];
    const { requests, condensations } = await runLoop({
      log,
      tools,
      condenser: inTurn(relevanceCondenser(), forgetful),
      respond: (messages, call) => {
        const path = paths[call];
        if (path !== undefined) {
          if (call === 5) labelOfE = labelOn(messages, 'read-e');
          forget = call === 5;
          return { calls: [readFile(path)] };
        }
        return call === 6 ? { calls: [redact(labelOfE)] } : {};
      },
    });
    expect(condensations).toHaveLength(1);
    const texts = resultTexts(requests.at(-1) ?? []);
    expect([...texts.keys()].slice(0, 3)).toEqual(['read-d', 'read-e', 'read-f']);
    expect(texts.get('read-e')).toContain('Response redacted');
    for (const id of ['read-d', 'read-f']) expect(texts.get(id)).toContain('line\nline');
  });
});

describe('with recall', () => {
  test('the note says so, and the original comes back by the same label, redacted or forgotten', async () => {
    const log = await started();
    const tools = [read, relevanceTool({ recall: true }), recallTool({ pageTokens: 125 })];
    let label = '';
    const forgetting: Condenser = {
      name: 'forgetting',
      condense: (view, context) => {
        const result = relevanceCondenser().condense(view, context);
        const isDue = view.events.length > 12 && view.condensations.length === 0;
        return isDue ? condensation({ view, start: 1, end: 3 }) : result;
      },
    };
    const { requests, condensations } = await runLoop({
      log,
      tools,
      condenser: forgetting,
      respond: (messages, call) => {
        if (call < 2) return { calls: [readFile(call === 0 ? 'a' : 'b')] };
        label = call === 2 ? labelOn(messages, 'read-a') : label;
        if (call === 2) return { calls: [redact(label)] };
        return call < 6 ? { calls: [{ name: 'recall', input: { address: label, page: call - 2 } }] } : {};
      },
    });
    expect(resultTexts(requests[3] ?? []).get('read-a')).toContain('(recall returns the original)');
    expect(condensations).toHaveLength(1);
    const texts = [...resultTexts(requests.at(-1) ?? []).values()];
    const recalled = texts.filter((text) => text.startsWith(`${label}: result of read`));
    expect(recalled).toHaveLength(3);
    // The first line says what it is; the last is the answer's own label.
    const pages = recalled.map((text) => text.slice(text.indexOf('\n') + 1, text.lastIndexOf('\n')));
    expect(pages.join('').length).toBeGreaterThan(1_200);
    expect(contents('a').startsWith(pages.join(''))).toBe(true);
  });
});

/** True where every call is answered once, directly after the message that made it. */
function pairs(messages: readonly Message[]): boolean {
  return messages.every((message, index) => {
    if (message.role !== 'assistant' || message.toolCalls === undefined) return true;
    const results = messages.slice(index + 1, index + 1 + message.toolCalls.length);
    const answered = results.map((result) => (result.role === 'tool' ? result.toolCallId : ''));
    return message.toolCalls.every(({ id }) => answered.includes(id));
  });
}
