/* oxlint-disable palimpsest/layers -- what comes back is what a view makes of the events; tests only */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Anthropic from '@anthropic-ai/sdk';
import type { Event } from '@palimpsest/events';
import { checkAnthropicRequest } from '@palimpsest/provider-servers/rules';
import { View, ViewProjection } from '@palimpsest/view';
import { describe, expect, it } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { modelFacts } from '../models/model-facts.js';
import { eventsFromMessages } from './events.js';
import { toMessagesRequest } from './request.js';

type Param = Anthropic.MessageParam;

const model = 'claude-opus-5-5';
const wireTools = [{ name: 'run', description: 'Runs a command.', input_schema: { type: 'object' as const } }];
const tools = [{ name: 'run', description: 'Runs a command.', inputSchema: { type: 'object' } }];
const text = (words: string) => ({ type: 'text' as const, text: words });
const viewOf = (events: readonly Event[]) => View.fromEvents(events);

const folder = process.env['PALIMPSEST_TRAJECTORIES'];
const reason = folder === undefined ? ' (skipped: PALIMPSEST_TRAJECTORIES names no folder)' : '';

describe(`real sessions that hold Anthropic messages${reason}`, () => {
  it.skipIf(folder === undefined)('come back as they were, and are accepted', () => {
    let sessions = 0;
    let count = 0;
    for (const source of ['claude-code-entire', 'vscode-copilot']) {
      for (const name of readdirSync(join(folder ?? '', source)).filter((file) => file.endsWith('.jsonl'))) {
        const held = heldMessages(readFileSync(join(folder ?? '', source, name), 'utf8'));
        const events = eventsFromMessages(held, { tools: wireTools });
        const view = viewOf(events);
        const body = toMessagesRequest({ messages: view.toMessages(), tools }, { model });
        expect(checkAnthropicRequest(JSON.parse(JSON.stringify(body)))).toEqual([]);
        // Nothing that was said, called or answered is missing from the log.
        const log = JSON.stringify(events);
        const missing: unknown[] = [];
        const expectThere = (words: unknown) => (log.includes(JSON.stringify(words)) ? 0 : missing.push(words));
        for (const { content } of held) {
          for (const block of typeof content === 'string' ? [text(content)] : content) {
            if (block.type === 'text' && block.text.trim() !== '') expectThere(block.text);
            if (block.type === 'tool_use') expectThere(JSON.stringify(block.input));
            if (block.type === 'thinking') expectThere(block.thinking);
          }
        }
        expect(missing).toEqual([]);
        // The same again, since the first time brought it into the form of every history.
        const again = viewOf(eventsFromMessages(body.messages, { tools: wireTools })).toMessages();
        expect(toMessagesRequest({ messages: again, tools }, { model }).messages).toEqual(body.messages);
        sessions++;
        count += held.length;
      }
    }
    console.log(`${sessions} sessions, ${count} messages`);
    expect(sessions).toBeGreaterThan(5);
  });

  it.skipIf(folder === undefined)('are accepted at any length, whatever the model checks', () => {
    let count = 0;
    // Every 500 events; where CI tests thoroughly, every 50: `.ci/run`.
    const stride = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 50 : 500;
    for (const events of sessions()) {
      for (const options of [
        { model },
        { model: 'claude-sonnet-4-6' },
        { model: 'claude-opus-4-5', thinking: 'on' as const },
      ]) {
        const { thinking } = modelFacts(options.model, 'anthropic');
        const projection = new ViewProjection({ thinking });
        for (const [index, event] of events.entries()) {
          projection.append(event);
          if (index % stride !== stride - 1) continue;
          const body = toMessagesRequest({ messages: projection.view.toMessages(), tools, cache: {} }, options);
          expect(checkAnthropicRequest(JSON.parse(JSON.stringify(body)))).toEqual([]);
          count++;
        }
      }
    }
    console.log(`${count} requests`);
    expect(count).toBeGreaterThan(fewer(50));
  });

  function sessions(): (readonly Event[])[] {
    return ['claude-code-entire', 'vscode-copilot'].flatMap((source) =>
      readdirSync(join(folder ?? '', source))
        .filter((file) => file.endsWith('.jsonl'))
        .map((name) => heldMessages(readFileSync(join(folder ?? '', source, name), 'utf8')))
        .map((held) => eventsFromMessages(held, { tools: wireTools })),
    );
  }

  function heldMessages(file: string): Param[] {
    return file.split('\n').flatMap((line): Param[] => {
      if (line.trim() === '') return [];
      const entry = JSON.parse(line) as { type?: string; isSidechain?: boolean; message?: Param };
      const isTold = (entry.type === 'user' || entry.type === 'assistant') && entry.isSidechain !== true;
      return isTold && entry.message !== undefined ? [entry.message] : [];
    });
  }
});
