import type { ContentPart } from '@palimpsest/events';
import { readChatMessage, receivedArguments } from '@palimpsest/llm-adapters/wire';
import { isObject, listOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { plainText, SessionRecorder, singleSession } from '../log/recorder.js';
import type { Entry, ImportedSession, LogFormat, LogSample, LogSource, NoteTaker } from '../log/session.js';
import { conversationsIn, isChatMessage, readConversations } from './messages.js';
import type { ConversationReader } from './messages.js';

/** Agents often stop the model at the end tag. A call without it ends at the next call or at the end of the text. */
const xmlCall = /<function=([^>\s]+)>([\s\S]*?)(<\/function>|(?=<function=)|$)/g;
const xmlParameter = /<parameter=([^>\s]+)>([\s\S]*?)(?:<\/parameter>|(?=<parameter=)|$)/g;

/** Chat messages with calls in the text as `<function=…><parameter=…>`. The next user message is the result. */
export const chatXml: LogFormat = {
  name: 'chat-xml',
  recognise: (sample) =>
    documents(sample).some((value) =>
      conversationsIn(value, isChatMessage).some(({ messages }) => messages.some((each) => hasCall(each, xmlCall))),
    ),
  read: (source) => readConversations(source, isChatMessage, () => openTurns(source)),
};

function openTurns(source: LogSource): ConversationReader {
  const recorder = new SessionRecorder(source.notes);
  const turns = new TextModeTurns(recorder);
  return {
    read: ({ role, content }, { index }) =>
      turns.read({ id: `message-${index}` }, { role, text: plainText(content) }, (text) => xmlTurn(text, source.notes)),
    finish: () => recorder.finish(),
  };
}

function xmlTurn(text: string, notes: NoteTaker): TextTurn {
  const calls = [...text.matchAll(xmlCall)].map(([, name = '', body = '', end]) => {
    if (end === '')
      notes.add('unsupported-content', 'a call without its end tag was read to where the next one begins');
    const parameters = [...body.matchAll(xmlParameter)];
    return { name, input: Object.fromEntries(parameters.map(([, key = '', value = '']) => [key, value])) };
  });
  return { thought: text.replaceAll(xmlCall, '').trim(), calls };
}

function documents({ document, head }: LogSample): readonly unknown[] {
  return document === undefined ? head : [document];
}

function hasCall(message: unknown, call: RegExp): boolean {
  if (!isObject(message) || message['role'] !== 'assistant' || message['tool_calls'] !== undefined) return false;
  return plainText(message['content']).search(call) !== -1;
}

const taggedCall = /<tool_call>([\s\S]*?)<\/tool_call>/g;
const taggedResult = /<tool_response>([\s\S]*?)<\/tool_response>/g;

/** Chat messages with calls in the text as `<tool_call>{ name, arguments }</tool_call>` and results in `<tool_response>`. */
export const chatMLTags = singleSession(
  'chatml-tags',
  ({ document }) => isObject(document) && listOf(document['messages']).some((message) => hasCall(message, taggedCall)),
  (recorder, { document }) => {
    const turns = new TextModeTurns(recorder);
    for (const [index, value] of listOf(objectOf(document)['messages']).entries()) {
      const message = objectOf(value);
      const entry = { id: `message-${index}` };
      const text = plainText(message['content']);
      // Reading only the tags would lose the text around them.
      const isOnlyTags = text.replaceAll(taggedResult, '').trim() === '';
      const perCall = [...text.matchAll(taggedResult)].map(([whole]) => [{ type: 'text' as const, text: whole }]);
      turns.read(entry, { role: message['role'], text }, tagTurn, isOnlyTags ? perCall : undefined);
    }
  },
);

/** Splits a text into its calls and the rest. The text keeps its `<think>` tags because the model was sent them. A call that does not parse stays in the text. */
function tagTurn(text: string): TextTurn {
  const calls = [...text.matchAll(taggedCall)].map(([, body = '']) => {
    const call = parsed(body);
    const name = textOf(call['name']);
    return name === undefined ? { name: 'unknown', input: body.trim() } : { name, input: call['arguments'] };
  });
  return { thought: text.replaceAll(taggedCall, '').trim(), calls };
}

function parsed(json: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(JSON.parse(json));
  } catch {
    return {};
  }
}

const toolName = 'shell';

/**
 * Trajectories of SWE-agent. `history` holds what the model was sent. `trajectory` repeats it and is read only if there is
 * no history.
 */
export const sweAgentTraj = singleSession(
  'swe-agent-traj',
  ({ document }) =>
    isObject(document) &&
    (hasAgentMessages(document['history']) ||
      listOf(document['trajectory']).some((step) => isObject(step) && 'action' in step && 'observation' in step)),
  (recorder, source) => {
    const document = objectOf(source.document);
    const turns = new TextModeTurns(recorder);
    const history = listOf(document['history']);
    if (history.length > 0) {
      for (const [index, message] of history.entries())
        readMessage(objectOf(message), { id: `message-${index}` }, turns);
    } else {
      for (const [index, step] of listOf(document['trajectory']).entries()) readStep(objectOf(step), index, turns);
    }
  },
);

function readMessage(message: JsonObject, entry: Entry, turns: TextModeTurns): void {
  const { recorder } = turns;
  const isTextMode = listOf(message['tool_calls']).length === 0;
  if (message['role'] === 'assistant' && isTextMode) {
    turns.assistant(entry, textTurn(message, plainText(message['content'])));
  } else if (message['role'] === 'user' && message['is_demo'] !== true) {
    turns.user(entry, recorder.parts(entry, message['content']));
  } else {
    const callId = textOf(listOf(message['tool_call_ids'])[0]) ?? message['tool_call_id'];
    // A demonstration shows another run. The user did not write it.
    recorder.record(entry, readChatMessage({ ...message, tool_call_id: callId }), { sourceOf: () => 'environment' });
  }
}

/** Newer files contain the parsed text. Older files contain only the text itself. */
function textTurn(message: JsonObject, text: string): TextTurn {
  const action = textOf(message['action'])?.trim();
  if (action === undefined || action === '') return fencedCommand(text, toolName);
  return {
    thought: textOf(message['thought'])?.trimEnd() ?? '',
    calls: [{ name: toolName, input: { command: action } }],
  };
}

function readStep(step: JsonObject, index: number, turns: TextModeTurns): void {
  turns.assistant({ id: `step-${index}` }, textTurn(step, textOf(step['response']) ?? ''));
  const entry = { id: `step-${index}-result` };
  turns.user(entry, turns.recorder.parts(entry, step['observation']));
}

function hasAgentMessages(history: unknown): boolean {
  return listOf(history).some(
    (message) => isObject(message) && 'role' in message && ('agent' in message || 'message_type' in message),
  );
}

/** SWE-agent runs in text mode, in the form of one data set: `{ trajectory: [{ role: system | ai | user, text }] }`. */
export const nebiusTraj = singleSession(
  'nebius-traj',
  ({ document }) =>
    isObject(document) &&
    listOf(document['trajectory']).some((turn) => isObject(turn) && turn['role'] === 'ai' && 'text' in turn),
  (recorder, { document }) => {
    const turns = new TextModeTurns(recorder);
    for (const [index, value] of listOf(objectOf(document)['trajectory']).entries()) {
      const turn = objectOf(value);
      const entry = { id: `message-${index}` };
      const text = textOf(turn['text']) ?? textOf(turn['system_prompt']) ?? '';
      turns.read(entry, { role: turn['role'], text }, (said) => fencedCommand(said, 'shell'));
    }
  },
);

/**
 * The steps of a browser agent. Each row has its own prompt (system text and page) and a reply. The rows form one
 * conversation: the first page is the task, and each later page is the result of the previous action.
 */
export const nnetnavSteps = singleSession(
  'nnetnav-steps',
  ({ document }) =>
    Array.isArray(document) &&
    document.length > 0 &&
    document.every(
      (row) =>
        isObject(row) && 'task_name' in row && Array.isArray(row['messages']) && typeof row['output'] === 'string',
    ),
  (recorder, { document }) => {
    const turns = new TextModeTurns(recorder);
    for (const [step, value] of listOf(document).entries()) {
      const row = objectOf(value);
      for (const [index, message] of listOf(row['messages']).map(objectOf).entries()) {
        const entry = { id: `step-${step}-${index}` };
        const text = plainText(message['content']);
        const { role } = message;
        const isRepeated = step > 0 && role !== 'user' && role !== 'assistant';
        if (isRepeated) recorder.notes.add('skipped-line', 'every row repeats the instructions');
        else turns.read(entry, { role, text }, (said) => fencedCommand(said, 'browser'));
      }
    }
  },
);

/** Results of InterCode: for each task, the question and parallel lists of actions and observations. Each task is a session. */
export const intercode: LogFormat = {
  name: 'intercode',

  recognise: ({ document }) =>
    isObject(document) &&
    Object.keys(document).length > 0 &&
    Object.values(document).every((task) => isObject(task) && Array.isArray(objectOf(task['turn_history'])['actions'])),

  read: readInterCode,
};

async function* readInterCode(source: LogSource): AsyncGenerator<ImportedSession> {
  const tasks = Object.entries(objectOf(source.document));
  for (const [key, value] of tasks) {
    const task = objectOf(value);
    const history = objectOf(task['turn_history']);
    const observations = listOf(history['observations']);
    const name = textOf(task['environment'])?.replace(/^ic_/, '') ?? 'shell';
    const recorder = new SessionRecorder(source.notes);
    const turns = new TextModeTurns(recorder);
    turns.user({ id: 'query' }, recorder.parts({ id: 'query' }, task['query']));
    for (const [index, action] of listOf(history['actions']).entries()) {
      const command = typeof action === 'string' ? action : JSON.stringify(action);
      turns.assistant({ id: `action-${index}` }, { thought: '', calls: [{ name, input: { command } }] });
      if (index >= observations.length) continue;
      const observation = observations[index];
      const text = typeof observation === 'string' ? observation : JSON.stringify(observation);
      turns.user({ id: `observation-${index}` }, text === '' ? [] : [{ type: 'text', text }]);
    }
    yield { name: tasks.length === 1 ? source.name : `${source.name}#${key}`, events: recorder.finish() };
  }
}

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
class TextModeTurns {
  readonly recorder: SessionRecorder;
  readonly #open: { readonly id: string; readonly name: string }[] = [];

  constructor(recorder: SessionRecorder) {
    this.recorder = recorder;
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
    else this.recorder.notes.unknown(`messages of role '${String(role)}'`);
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
      this.recorder.message(entry, content, this.recorder.responses > 0 ? 'environment' : 'user');
      return;
    }
    if (results.length < this.#open.length) {
      this.recorder.notes.add(
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
}

/** Splits a text into its last fenced block (the command) and the rest. Without a block, returns the whole text. */
function fencedCommand(text: string, toolName: string): TextTurn {
  const last = [...text.matchAll(/```([\s\S]*?)```/g)].at(-1);
  const command = commandOf(last?.[1] ?? '');
  if (last === undefined || command === '') return { thought: text, calls: [] };
  const after = text.slice(last.index + last[0].length);
  return {
    thought: [text.slice(0, last.index).trimEnd(), after.trim()].filter((part) => part !== '').join('\n'),
    calls: [{ name: toolName, input: { command } }],
  };
}

/** Returns the command in a block. A block can begin with the name of its language. If the block is a single word, the word is the command. */
function commandOf(block: string): string {
  const named = /^(?:bash|sh|shell|console|python|text)\n([\s\S]*\S[\s\S]*)$/.exec(block);
  return (named?.[1] ?? block).trim();
}
