import type { ContentPart } from '@palimpsest/events';
import { receivedArguments } from '@palimpsest/llm-adapters/wire';
import type { ImportedSession } from '../log-format.js';
import type { NoteTaker } from '../note-taker.js';
import { SessionRecorder } from '../session-recorder.js';
import type { Entry } from '../entry.js';

/** The text and the calls of an assistant message of an agent without native tools. */
export interface TextTurn {
  /** The text without the calls. */
  readonly thought: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
}

/**
 * Reads the turns of agents that write calls into their text and receive the result as the next user message. The call
 * becomes an action with an id made from its position. The user message becomes the result.
 */
export class TextModeTurns {
  readonly recorder: SessionRecorder;
  readonly #open: { readonly id: string; readonly name: string }[] = [];
  readonly #notes: NoteTaker;

  constructor(notes: NoteTaker) {
    this.#notes = notes;
    this.recorder = new SessionRecorder(notes);
  }

  /** Reads a message by role. `turnOf` parses the text of the model. `perCall` is as in {@link TextModeTurns.user}. */
  read(
    entry: Entry,
    { role, text }: { readonly role: unknown; readonly text: string },
    turnOf: (text: string) => TextTurn,
    perCall?: readonly (readonly ContentPart[])[],
  ): void {
    const content = text === '' ? [] : [{ type: 'text' as const, text }];
    if (role === 'assistant' || role === 'ai') this.assistant(entry, turnOf(text));
    else if (role === 'user' || role === 'tool') this.user(entry, content, perCall);
    else if (role === 'system') this.recorder.instructions(entry, content);
    else this.#notes.add('unknown-line-type', `messages of role '${String(role)}' are not known and were left out`);
  }

  assistant(entry: Entry, turn: TextTurn): void {
    this.#open.length = 0;
    const response = this.recorder.response(entry);
    response.say([{ type: 'text', text: turn.thought }]);
    for (const [index, call] of turn.calls.entries()) {
      const id = turn.calls.length === 1 ? `call-of-${entry.id}` : `call-of-${entry.id}-${index}`;
      this.#open.push({ id, name: call.name });
      this.recorder.call(response, entry, { id, name: call.name, arguments: receivedArguments(call.input) });
    }
  }

  /**
   * A user message. It answers the calls of the last assistant text. `perCall` splits the message into one part per call, in
   * order; without it the first call gets the whole message. Before the first reply the user wrote the message.
   */
  user(entry: Entry, content: readonly ContentPart[], perCall?: readonly (readonly ContentPart[])[]): void {
    const results = perCall?.length === this.#open.length ? perCall : [content];
    if (this.#open.length === 0) {
      this.recorder.message(entry, content, this.#hasReplied ? 'environment' : 'user');
      return;
    }
    if (results.length < this.#open.length) {
      this.#notes.add(
        'unsupported-content',
        'one message answers several calls; the first call has all of it',
        entry.line,
      );
    }
    for (const result of results) {
      const call = this.#open.shift();
      if (call !== undefined) this.recorder.result(entry, { callId: call.id, toolName: call.name, content: result });
    }
    this.#open.length = 0;
  }

  finish(): ImportedSession['events'] {
    return this.recorder.finish();
  }

  get #hasReplied(): boolean {
    return this.recorder.responses > 0;
  }
}

/** Splits a text into its last fenced block (the command) and the rest. Without a block, returns the whole text. */
export function fencedCommand(text: string, toolName: string): TextTurn {
  const last = [...text.matchAll(/```([\s\S]*?)```/g)].at(-1);
  const command = commandOf(last?.[1] ?? '');
  if (last === undefined || command === '') return { thought: text, calls: [] };
  const after = text.slice(last.index + last[0].length);
  return {
    thought: [text.slice(0, last.index).trimEnd(), after.trim()].filter((part) => part !== '').join('\n'),
    calls: [{ name: toolName, input: { command } }],
  };
}

/** A block can begin with the name of its language. If the block is a single word, the word is the command. */
function commandOf(block: string): string {
  const named = /^(?:bash|sh|shell|console|python|text)\n([\s\S]*\S[\s\S]*)$/.exec(block);
  return (named?.[1] ?? block).trim();
}
