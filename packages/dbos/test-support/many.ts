import { randomUUID } from 'node:crypto';
import { Agent, Conversation } from '@palimpsest/agent';
import type { AgentOptions } from '@palimpsest/agent';
import type { RunEnd } from '@palimpsest/agent/runner';
import { memoryEventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedLLMOptions } from '@palimpsest/llm-adapters/testing';
import { inject, onTestFinished, vi } from 'vitest';
import { dbosRunner } from '../src/index.js';
import type { DbosRunner, DbosRunnerOptions } from '../src/index.js';

/** A store in memory and a queue of its own, with as many runners on it as a test wants. */
export function setUp(
  script: ScriptedLLMOptions['script'],
  options: Partial<DbosRunnerOptions> = {},
  agentOptions: Partial<AgentOptions> = {},
) {
  const name = randomUUID();
  const store = memoryEventStore();
  const llm = scriptedLLM({ script });
  const agent = new Agent({ llm, ...agentOptions });
  const ends: RunEnd[] = [];
  const opened: string[] = [];
  const runner = (more: Partial<DbosRunnerOptions> = {}): DbosRunner => {
    const made = dbosRunner({
      url: inject('postgresUrl') ?? '',
      name,
      open: (conversationId) => {
        opened.push(conversationId);
        return Conversation.open({ agent, store, conversationId });
      },
      onEnd: (end) => void ends.push(end),
      pollMs: 20,
      sweepMs: 100,
      retryMs: 20,
      ...options,
      ...more,
    });
    onTestFinished(() => made.stop({ graceMs: 1_000 }));
    return made;
  };
  const ask = async (asking: DbosRunner, conversationId: string, text = 'Work.') => {
    await (await Conversation.open({ agent, store, conversationId })).send(text);
    await asking.enqueue(conversationId);
  };
  return { name, store, llm, agent, ends, opened, runner, ask };
}

/** Resolves when something is so. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(condition, { timeout: 120_000, interval: 10 });
}

/** A promise that the test resolves. */
export function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
