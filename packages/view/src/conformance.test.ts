import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEvent, systemPromptContent } from '@palimpsest/events';
import type { Event, Message } from '@palimpsest/events';
import { describe, expect, test } from 'vitest';
import { View, ViewProjection } from './index.js';

/** The logs and expectations of the upstream system, by the folder that the environment names. */
const folder = process.env['PALIMPSEST_CONFORMANCE'];

interface UpstreamEvent {
  readonly kind: string;
  readonly id: string;
  readonly text: string;
  readonly source: 'user' | 'agent' | 'environment';
  readonly call: string;
  readonly resp: string;
  readonly thinking: boolean;
  readonly executable: boolean;
  readonly thought: string;
  readonly forgotten: readonly string[];
  readonly summary: string | null;
  readonly offset: number | null;
}

interface UpstreamMessage {
  readonly role: string;
  readonly calls: readonly string[] | null;
  readonly result_for: string | null;
  readonly parts: number;
  readonly thinking: number;
}

interface UpstreamCase {
  readonly case: number;
  readonly clean: boolean;
  readonly log: readonly UpstreamEvent[];
  readonly expect: {
    readonly view: readonly string[];
    readonly pending_request: boolean;
    readonly indices: readonly number[];
    readonly messages: readonly UpstreamMessage[];
  };
}

describe.skipIf(folder === undefined)('conformance with the upstream system', () => {
  const cases = folder === undefined ? [] : readCases(join(folder, 'upstream-cases.jsonl'));
  const clean = cases.filter((one) => one.clean);

  test('clean cases: the same stored list and request flag', () => {
    for (const one of clean) {
      const view = viewOf(one);
      expect(ids(view), `case ${one.case}`).toEqual(one.expect.view);
      expect(view.unhandledCondensationRequest, `case ${one.case}`).toBe(one.expect.pending_request);
    }
  });

  test('clean cases: the same cut points, but where stale thinking glues nothing', () => {
    const different = clean.filter((one) => !equal([...viewOf(one).cutPoints], one.expect.indices));
    for (const one of different) {
      const cuts = new Set(viewOf(one).cutPoints);
      expect(
        [...one.expect.indices].filter((index) => !cuts.has(index)),
        `case ${one.case}`,
      ).toEqual([]);
    }
    console.log(`cut points: ${different.length} of ${clean.length} clean cases differ, by stale thinking`);
    expect(different.length).toBeLessThanOrEqual(5);
  });

  test('clean cases: the same messages', () => {
    for (const one of clean) {
      const view = viewOf(one);
      const texts = [...view.events].find((event) => event.type === 'system-prompt');
      expect(texts === undefined ? 0 : systemPromptContent(texts).length).toBeLessThanOrEqual(1);
      expect(view.toMessages().map(shapeOf), `case ${one.case}`).toEqual(one.expect.messages);
    }
  });

  test('all cases: the same view from every prefix, folded at once or one by one', () => {
    for (const one of cases) {
      const events = one.log.map(eventOf);
      const projection = new ViewProjection({ thinking: 'latest-turn' });
      for (const [index, event] of events.entries()) {
        projection.append(event);
        const whole = View.fromEvents(events.slice(0, index + 1), { thinking: 'latest-turn' });
        expect(ids(projection.view), `case ${one.case}`).toEqual(ids(whole));
        expect([...projection.view.cutPoints]).toEqual([...whole.cutPoints]);
        expect(projection.view.toMessages()).toEqual(whole.toMessages());
      }
    }
  });
});

function readCases(file: string): readonly UpstreamCase[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as UpstreamCase);
}

function viewOf(one: UpstreamCase): View {
  return View.fromEvents(one.log.map(eventOf), { thinking: 'latest-turn' });
}

function eventOf(event: UpstreamEvent): Event {
  const base = { id: event.id, timestamp: '2026-01-01T00:00:00.000Z' };
  switch (event.kind) {
    case 'system':
      return createEvent('system-prompt', { ...base, systemPrompt: event.text });
    case 'message':
      return createEvent('message', {
        ...base,
        source: event.source,
        role: event.source === 'agent' ? 'assistant' : 'user',
        content: [{ type: 'text', text: event.text }],
      });
    case 'action':
      return createEvent('action', {
        ...base,
        thought: event.thought === '' ? [] : [{ type: 'text', text: event.thought }],
        toolCall: { id: event.call, name: 'tool', arguments: '{}' },
        llmResponseId: event.resp,
        ...(event.thinking ? { thinkingBlocks: [{ type: 'thinking', thinking: 'T', signature: 's' }] } : {}),
        executable: event.executable,
      });
    case 'observation':
      return createEvent('observation', {
        ...base,
        toolName: 'tool',
        toolCallId: event.call,
        content: [{ type: 'text', text: event.text }],
      });
    case 'reject':
      return createEvent('user-reject-observation', {
        ...base,
        toolName: 'tool',
        toolCallId: event.call,
        rejectionReason: 'User rejected the action',
      });
    case 'error':
      return createEvent('agent-error', { ...base, toolName: 'tool', toolCallId: event.call, error: 'err' });
    case 'pause':
      return createEvent('pause', base);
    case 'request':
      return createEvent('condensation-request', base);
    case 'condensation':
      return createEvent('condensation', {
        ...base,
        forgottenEventIds: event.forgotten,
        ...(event.summary === null || event.offset === null
          ? {}
          : { summary: event.summary, summaryOffset: event.offset }),
      });
    default:
      throw new Error(`unknown kind '${event.kind}'`);
  }
}

function shapeOf(message: Message): UpstreamMessage {
  const assistant = message.role === 'assistant' ? message : undefined;
  return {
    role: message.role,
    calls: assistant?.toolCalls?.map(({ id }) => id) ?? null,
    result_for: message.role === 'tool' ? message.toolCallId : null,
    parts: message.content.length,
    thinking: assistant?.thinkingBlocks?.length ?? 0,
  };
}

function ids(view: View): readonly string[] {
  return [...view.events].map(({ id }) => id);
}

function equal(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
