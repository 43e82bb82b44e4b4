import type { Message, ToolDefinition } from '@palimpsest/events';
import { shortHash } from './short-hash.js';

const maxLength = 64;
const sendable = /^[a-zA-Z0-9_-]{1,64}$/;

/** Puts tool names into the form that providers take, and back. */
export interface ToolNames {
  toWire(name: string): string;
  /** The tool that the model meant. A name that the model made up stays as it is. */
  fromWire(name: string): string;
}

/**
 * The names of a request's tools and calls, as both providers take them: `^[a-zA-Z0-9_-]{1,64}$`. A name that fits stays as
 * it is. Any other becomes what fits of it and a hash of the whole, so that it is the same in every request, whatever other
 * tools there are.
 *
 * @see provider-protocol rules A13 (as its clients of 2025 had it) and B4
 */
export function toolNames(request: {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
}): ToolNames {
  const names = new Set(request.tools?.map(({ name }) => name));
  for (const message of request.messages) {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) names.add(call.name);
    else if (message.role === 'tool') names.add(message.toolName);
  }
  const wire = new Map<string, string>();
  const back = new Map<string, string>();
  // Names that fit come first: none of them has to yield to one that was made up here.
  for (const fits of [true, false]) {
    for (const name of names) {
      if (sendable.test(name) !== fits) continue;
      const sent = fits ? name : freeAlias(name, back);
      wire.set(name, sent);
      back.set(sent, name);
    }
  }
  return { toWire: (name) => wire.get(name) ?? name, fromWire: (name) => back.get(name) ?? name };
}

function freeAlias(name: string, taken: ReadonlyMap<string, string>): string {
  const readable = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  for (let attempt = 0; ; attempt++) {
    const hash = shortHash(attempt === 0 ? name : `${name}#${attempt}`);
    const alias = `${readable.slice(0, maxLength - hash.length - 1)}_${hash}`;
    if (!taken.has(alias)) return alias;
  }
}
