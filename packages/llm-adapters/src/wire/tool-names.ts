import type { Message, ToolCall, ToolDefinition } from '@palimpsest/events';
import { InvalidRequestError } from '../errors.js';
import { shortHash } from './call-ids.js';

const maxLength = 64;
const sendable = /^[a-zA-Z0-9_-]{1,64}$/;

/** A translation of tool names into the form that providers accept, and back. */
export interface ToolNames {
  toWire(name: string): string;
  /** Returns the tool's original name. A name that the model made up stays unchanged. */
  fromWire(name: string): string;
}

/**
 * Returns the names of a request's tools and calls, as both providers accept them: `^[a-zA-Z0-9_-]{1,64}$`. A valid
 * name stays unchanged. An invalid name becomes its valid characters and a hash of the whole name, so that it is the
 * same in every request, independent of the other tools.
 *
 * @see provider-rules A13 (as its clients of 2025 had it) and B4
 */
export function toolNames(request: {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
}): ToolNames {
  const declared = new Set(request.tools?.map(({ name }) => name));
  const names = new Set([...declared, ...namesInHistory(request.messages)]);
  const wire = new Map<string, string>();
  const back = new Map<string, string>();
  // A well-formed rendered history names a tool without the lone surrogates in its name.
  const rendered = new Map<string, string>();
  // Valid names come first, so that a generated name never displaces a valid one.
  for (const fits of [true, false]) {
    for (const name of names) {
      if (sendable.test(name) !== fits) continue;
      const known = declared.has(name) ? undefined : rendered.get(name);
      const sent = fits ? name : (known ?? freeAlias(name, back));
      wire.set(name, sent);
      if (known === undefined) back.set(sent, name);
      if (!name.isWellFormed() && !rendered.has(name.toWellFormed())) rendered.set(name.toWellFormed(), sent);
    }
  }
  return {
    toWire: (name) => wire.get(name) ?? rendered.get(name) ?? name,
    fromWire: (name) => back.get(name) ?? name,
  };
}

function freeAlias(name: string, taken: ReadonlyMap<string, string>): string {
  const readable = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  for (let attempt = 0; ; attempt++) {
    const hash = shortHash(attempt === 0 ? name : `${name}#${attempt}`);
    const alias = `${readable.slice(0, maxLength - hash.length - 1)}_${hash}`;
    if (!taken.has(alias)) return alias;
  }
}

const none: readonly never[] = [];

/** Returns the names of the tools in a history, as its calls and results have them, in order of appearance. */
function namesInHistory(messages: readonly Message[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role === 'assistant') for (const { name } of message.toolCalls ?? none) names.add(name);
    else if (message.role === 'tool') names.add(message.toolName);
  }
  return names;
}

/** Returns the names under which a message's calls are sent; none if they are their own. */
export function sentNamesOf(message: Message, names: Pick<ToolNames, 'toWire'>): readonly string[] {
  if (message.role !== 'assistant' || message.toolCalls === undefined) return none;
  const sentName = ({ name }: ToolCall) => names.toWire(name.toWellFormed());
  return message.toolCalls.every((call) => sentName(call) === call.name) ? none : message.toolCalls.map(sentName);
}

/**
 * Returns the names of the tools that a history calls, well-formed, in order of appearance. Providers refuse calls and
 * results in a request without tools; the adapter can declare these names instead.
 *
 * @see provider-rules A26
 */
export function calledTools(messages: readonly Message[]): readonly string[] {
  return [...new Set([...namesInHistory(messages)].map((name) => name.toWellFormed()))];
}

/**
 * Checks that no two tools have one name.
 *
 * @throws {@link InvalidRequestError} when two have: no provider accepts them, and a call would be ambiguous.
 */
export function assertOneToolPerName(tools: readonly ToolDefinition[], provider: string): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw new InvalidRequestError(`There are two tools of the name '${name}'.`, { provider });
    names.add(name);
  }
}
