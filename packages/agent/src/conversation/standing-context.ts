import type { Agent } from '../agent.js';
import { ensureSystemPrompt } from '../prompts/opening.js';
import { maskedEvents } from '../secrets/mask.js';
import type { MaskedLog } from './log.js';

/** Keeps in the log what the model must read beside the user's words: instructions, tools, workspace context. */
export class StandingContext {
  readonly #agent: Agent;
  readonly #log: MaskedLog;
  #systemPromptInForce: Promise<void> | undefined;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(agent: Agent, log: MaskedLog) {
    this.#agent = agent;
    this.#log = log;
  }

  /** Others have appended to the log: the instructions in force are compared anew. */
  expire(): void {
    this.#systemPromptInForce = undefined;
  }

  /** Appends the agent's instructions and tools at the start, and again when they have changed. */
  ensureSystemPrompt(): Promise<void> {
    this.#systemPromptInForce ??= this.#appendSystemPrompt().catch((error: unknown) => {
      this.#systemPromptInForce = undefined;
      throw error;
    });
    return this.#systemPromptInForce;
  }

  /** Appends the agent's context that the model is not shown yet, or not any more. */
  append(): Promise<void> {
    // One after another: two that read the same view would both append what it lacks.
    const appended = this.#lastTurn.then(() => this.#log.append(this.#agent.context?.(this.#log.state.view) ?? []));
    this.#lastTurn = appended.catch(() => undefined);
    return appended;
  }

  async #appendSystemPrompt(): Promise<void> {
    const { systemPrompt = '', toolDefinitions: tools, createEvent } = this.#agent;
    if (systemPrompt === '' && tools.length === 0) return;
    const inForce = this.#log.state.systemPrompt;
    const wanted = {
      systemPrompt,
      tools,
      // A host's addition to the instructions belongs to the log, not to the agent.
      dynamicContext: inForce?.dynamicContext,
      // Compared as the log holds it, with the secrets masked.
      createEvent: maskedEvents(this.#log.secrets, createEvent),
    };
    await this.#log.append(ensureSystemPrompt(inForce === undefined ? [] : [inForce], wanted));
  }
}
