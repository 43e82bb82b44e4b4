import { defineTool, memoryEventStore } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer } from '@palimpsest/llm-adapters/testing';
import { z } from 'zod';
import type { AgentOptions } from '../agent-options.js';
import { Agent } from '../agent.js';
import { Conversation } from '../conversation/conversation.js';
import type { RunEnd } from '../runner/runner.js';

/** Conversations of one test: their models, a tool that works until it is released, and what happened. */
export class Bench {
  readonly store = memoryEventStore();
  readonly ends: RunEnd[] = [];
  readonly answers = new Map<string, readonly ScriptedAnswer[]>();
  /** The conversations whose tool works now. */
  readonly atWork = new Map<string, () => void>();
  /** The conversations whose tool was aborted. */
  readonly aborted = new Set<string>();
  readonly mostAtOnce = new Map<string, number>();
  mostInAll = 0;
  agentOptions: Partial<AgentOptions> = {};
  readonly #calls = new Map<string, number>();
  readonly #events = new Map<string, Event[]>();
  #isReleased = false;

  async open(conversationId: string): Promise<Conversation> {
    const agent = new Agent({
      ...this.agentOptions,
      llm: this.#model(conversationId),
      tools: [this.#tool(conversationId)],
    });
    return Conversation.open({ agent, store: this.store, conversationId });
  }

  async send(conversationId: string): Promise<void> {
    await (await this.open(conversationId)).send('Go.');
    if (this.#events.has(conversationId)) return;
    this.#events.set(conversationId, []);
  }

  modelCalls(conversationId: string): number {
    return this.#calls.get(conversationId) ?? 0;
  }

  events(conversationId: string): readonly Event[] {
    return this.#events.get(conversationId) ?? [];
  }

  /** Returns the statuses that the log has, oldest first. */
  statuses(conversationId: string): readonly unknown[] {
    return this.events(conversationId).flatMap((event) =>
      event.type === 'conversation-state-update' && event.key === 'status' ? [event.value] : [],
    );
  }

  /** Resolves when the condition holds; the logs are read before each look. */
  async until(condition: () => boolean): Promise<void> {
    await until(async () => {
      for (const [id, events] of this.#events) {
        for await (const event of this.store.read(id, { from: events.length })) events.push(event);
      }
      return condition();
    });
  }

  releaseAll(): void {
    this.#isReleased = true;
    for (const release of this.atWork.values()) release();
  }

  #model(conversationId: string) {
    return scriptedLLM({
      idPrefix: `${conversationId}-${this.modelCalls(conversationId)}`,
      script: () => {
        const index = this.modelCalls(conversationId);
        this.#calls.set(conversationId, index + 1);
        return this.answers.get(conversationId)?.[index] ?? 'Done.';
      },
    });
  }

  #tool(conversationId: string) {
    return defineTool({
      name: 'work',
      description: 'Works.',
      input: z.object({}),
      execute: async (_input, { signal }) => {
        if (!this.#isReleased) {
          const atOnce = (this.atWork.has(conversationId) ? 1 : 0) + 1;
          this.mostAtOnce.set(conversationId, Math.max(this.mostAtOnce.get(conversationId) ?? 0, atOnce));
          await new Promise<void>((release) => {
            this.atWork.set(conversationId, release);
            this.mostInAll = Math.max(this.mostInAll, this.atWork.size);
            signal?.addEventListener('abort', () => {
              this.aborted.add(conversationId);
              release();
            });
          });
          this.atWork.delete(conversationId);
        }
        return 'worked';
      },
    });
  }
}

/** @throws when it takes longer than a minute. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 6_000; look++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('It did not come to pass within a minute.');
}
