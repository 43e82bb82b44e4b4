import { reportFor } from './violation.js';
import type { Report, Violation } from './violation.js';
import { listIn, objectIn, textIn } from './wire-json.js';
import type { JsonObject } from './wire-json.js';

interface ChatMessage {
  readonly path: string;
  readonly role: string;
  readonly value: JsonObject;
  readonly calls: readonly ChatCall[];
}

interface ChatCall {
  readonly path: string;
  readonly id: string;
  readonly called: JsonObject;
}

interface ChatRequest {
  readonly body: JsonObject;
  readonly messages: readonly ChatMessage[];
}

type Rule = (request: ChatRequest, report: Report) => readonly Violation[];

/**
 * What OpenAI would refuse in the body of a Chat Completions request; nothing when it would take it. Reads the wire format
 * only and shares no code with the adapters.
 *
 * Rules: B1 to B7; `B0` is what the envelope requires, which section F has no row for.
 *
 * @see provider-protocol section F
 */
export function checkChatCompletionsRequest(body: unknown): Violation[] {
  const object = objectIn(body);
  if (object === undefined) return [reportFor('B0')('', 'the body is not a JSON object')];
  const messages = listIn(object.messages).map(chatMessage);
  return Object.entries(rules).flatMap(([name, rule]) => rule({ body: object, messages }, reportFor(name)));
}

function chatMessage(value: unknown, index: number): ChatMessage {
  const message = objectIn(value) ?? {};
  const path = `messages.${index}`;
  const calls = listIn(message.tool_calls).map((item, position): ChatCall => {
    const call = objectIn(item) ?? {};
    return { path: `${path}.tool_calls.${position}`, id: textIn(call.id) ?? '', called: objectIn(call.function) ?? {} };
  });
  return { path, role: textIn(message.role) ?? '', value: message, calls };
}

const knownRoles: readonly string[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** B.1: the fields and roles without which nothing can be read. */
const requiredFields: Rule = ({ body, messages }, report) => [
  ...(textIn(body.model) === undefined ? [report('model', 'you must provide a model parameter')] : []),
  ...(messages.length === 0 ? [report('messages', 'a list with at least one message is required')] : []),
  ...messages
    .filter(({ role }) => !knownRoles.includes(role))
    .map(({ path, role }) => report(`${path}.role`, `unexpected role '${role}'`)),
];

/** The tool messages that directly follow a message. */
function resultsAfter(messages: readonly ChatMessage[], index: number): readonly ChatMessage[] {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== 'tool');
  return end === -1 ? rest : rest.slice(0, end);
}

/** F.B1; B.2: every call is answered before anything else follows. */
const callsAnswered: Rule = ({ messages }, report) =>
  messages.flatMap((message, index) => {
    if (message.role !== 'assistant' || message.calls.length === 0) return [];
    const answered = new Set(resultsAfter(messages, index).map(({ value }) => value.tool_call_id));
    const open = message.calls.filter(({ id }) => !answered.has(id)).map(({ id }) => id);
    if (open.length === 0) return [];
    return [
      report(
        message.path,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
          `The following tool_call_ids did not have response messages: ${open.join(', ')}`,
      ),
    ];
  });

/** F.B2; B.2: a result stands in the group of its call, once. */
const resultsHaveCalls: Rule = ({ messages }, report) => {
  const found: Violation[] = [];
  let open: ReadonlySet<unknown> = new Set();
  let answered = new Set<unknown>();
  for (const message of messages) {
    if (message.role !== 'tool') {
      open = new Set(message.role === 'assistant' ? message.calls.map(({ id }) => id) : []);
      answered = new Set();
      continue;
    }
    const id = message.value.tool_call_id;
    if (!open.has(id)) {
      const words = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      found.push(report(`${message.path}.role`, words));
    } else if (answered.has(id)) {
      found.push(report(`${message.path}.tool_call_id`, 'this call has a response already'));
    }
    answered.add(id);
  }
  return found;
};

/** F.B3; B.3: ids of calls. */
const callIdsValid: Rule = ({ messages }, report) =>
  messages.flatMap(({ calls }) => {
    const seen = new Set<string>();
    return calls.flatMap(({ path, id }) => {
      const repeated = seen.has(id);
      seen.add(id);
      if (id === '') return [report(`${path}.id`, 'a string that is not empty is required')];
      if (repeated) return [report(`${path}.id`, 'ids must be unique in their message')];
      if (id.length <= 40) return [];
      const words = `string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`;
      return [report(`${path}.id`, words)];
    });
  });

/** F.B4; B.3: names of tools, declared, called and chosen. */
const namesValid: Rule = ({ body, messages }, report) => {
  const declared = listIn(body.tools).map((tool, index) => ({
    path: `tools.${index}.function.name`,
    name: objectIn(objectIn(tool)?.function)?.name,
  }));
  const called = messages.flatMap(({ calls }) =>
    calls.map(({ path, called: { name } }) => ({ path: `${path}.function.name`, name })),
  );
  const chosen = objectIn(objectIn(body.tool_choice)?.function);
  const all = [
    ...declared,
    ...called,
    ...(chosen === undefined ? [] : [{ path: 'tool_choice.function.name', name: chosen.name }]),
  ];
  return all
    .filter(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(textIn(name) ?? ''))
    .map(({ path }) =>
      report(path, "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."),
    );
};

/** F.B5; B.3: only an assistant message that calls may have no content. */
const contentPresent: Rule = ({ messages }, report) =>
  messages.flatMap(({ path, role, value, calls }) => {
    const { content } = value;
    if (typeof content === 'string' || (Array.isArray(content) && content.length > 0)) return [];
    const missing = content === null || content === undefined;
    const saidOtherwise = objectIn(value.function_call) ?? textIn(value.refusal);
    const mayMiss = role === 'assistant' && (calls.length > 0 || saidOtherwise !== undefined);
    if (missing && (mayMiss || role === 'function')) return [];
    const got = Array.isArray(content) ? 'an empty array' : content === null ? 'null' : typeof content;
    return [report(`${path}.content`, `Invalid value for 'content': expected a string, got ${got}.`)];
  });

/** F.B6; B.3: arguments are JSON text, not JSON. */
const argumentsAreText: Rule = ({ messages }, report) =>
  messages.flatMap(({ calls }) =>
    calls
      .filter(({ called }) => typeof called.arguments !== 'string')
      .map(({ path }) => report(`${path}.function.arguments`, 'expected a string')),
  );

/** F.B7; B.3. */
const toolsNotTooMany: Rule = ({ body }, report) =>
  listIn(body.tools).length > 128 ? [report('tools', 'array too long. Expected an array with maximum length 128')] : [];

const rules: Readonly<Record<string, Rule>> = {
  B0: requiredFields,
  B1: callsAnswered,
  B2: resultsHaveCalls,
  B3: callIdsValid,
  B4: namesValid,
  B5: contentPresent,
  B6: argumentsAreText,
  B7: toolsNotTooMany,
};
