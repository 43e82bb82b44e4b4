import type { ContentPart } from '@palimpsest/events';
import { receivedArguments } from '@palimpsest/llm-adapters/wire';
import type { ImportedSession } from '../log-format.js';
import type { NoteTaker } from '../note-taker.js';
import { SessionRecorder } from '../session-recorder.js';
import type { Entry } from '../entry.js';

/** What one assistant text of an agent without native tools says and calls. */
export interface TextTurn {
  /** The words without the calls. */
  readonly thought: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
}

/**
 * Reads the turns of agents that write their calls into their text and get the result as the next user message. The call
 * becomes an action with an id made from its place, and that user message its result.
 */
export class TextModeTurns {
  readonly recorder: SessionRecorder;
  readonly #open: { readonly id: string; readonly name: string }[] = [];
  readonly #notes: NoteTaker;

  constructor(notes: NoteTaker) {
    this.#notes = notes;
    this.recorder = new SessionRecorder(notes);
  }

  /** A message of a role: `turnOf` says what the model's text says and calls; `perCall` as in {@link TextModeTurns.user}. */
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
   * A message in the user's place. It answers the calls of the assistant's last text, in order: all of it the first, unless
   * `perCall` gives each its part. Before the first reply it is the user's.
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

/** The words around the last fenced block of a text, and that block as a command; the whole text where there is none. */
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

/** A block may begin with the name of its language, but a lone word is a command. */
function commandOf(block: string): string {
  const named = /^(?:bash|sh|shell|console|python|text)\n([\s\S]*\S[\s\S]*)$/.exec(block);
  return (named?.[1] ?? block).trim();
}
