import { isKnownContent, isKnownThinkingBlock, wellFormedJson } from '@palimpsest/events';
import type { AssistantMessage, Message } from '@palimpsest/events';

const sendableCallId = /^[a-zA-Z0-9_-]{1,40}$/;

/**
 * Returns the violations that a strict provider would refuse in a list of messages, one sentence each. Empty for a valid list.
 *
 * Checks the rules that a view is responsible for:
 *
 * - one system message at most, and first
 * - every call answered at once, by exactly one result, before anything else
 * - no result without its call
 * - call ids of 1 to 40 safe characters, each used once
 * - no blank text, no half of a surrogate pair (in arguments as an escape neither), no part or thinking of an unknown kind, and
 *   no message without content
 *
 * The roles of the first and last message are the host's responsibility.
 *
 * @see provider-rules A5 to A10 and B1 to B3
 */
export function messageViolations(messages: readonly Message[]): readonly string[] {
  const violations: string[] = [];
  const callIds = new Set<string>();
  let open = new Set<string>();
  messages.forEach((message, index) => {
    const report = (text: string) => violations.push(`message ${index} (${message.role}): ${text}`);
    if (message.role === 'tool') {
      if (!open.delete(message.toolCallId)) report(`the result of '${message.toolCallId}' does not follow its call`);
    } else {
      if (open.size > 0) report(`stands before the results of ${[...open].join(', ')}`);
      open = new Set();
    }
    if (message.role === 'system' && index > 0) report('a system message that is not the first message');
    if (message.role === 'assistant') {
      for (const { id, arguments: input } of message.toolCalls ?? []) {
        if (callIds.has(id)) report(`the call id '${id}' is used twice`);
        if (!sendableCallId.test(id)) report(`the call id '${id}' is not 1 to 40 letters, digits, '_' or '-'`);
        if (!isWellFormed(parsed(input))) report(`half of a surrogate pair is escaped in '${id}'`);
        if (typeof input !== 'string') report(`the arguments of '${id}' are no text`);
        callIds.add(id);
        open.add(id);
      }
    }
    if (!isWellFormed(message)) report('holds half of a surrogate pair');
    if (message.content.some((part) => part.type === 'text' && part.text.trim() === '')) report('holds blank text');
    if (!message.content.every(isKnownContent)) report('holds a part of an unknown kind');
    if (message.role === 'assistant' && message.thinkingBlocks?.every(isKnownThinkingBlock) === false) {
      report('holds thinking of an unknown kind');
    }
    if (
      message.role !== 'tool' &&
      message.content.length === 0 &&
      !(message.role === 'assistant' && saysMore(message))
    ) {
      report('has no content');
    }
  });
  if (open.size > 0) violations.push(`the end: the results of ${[...open].join(', ')} are missing`);
  return violations;
}

/** Calls or thinking, which make a message without words a message. */
function saysMore(message: AssistantMessage): boolean {
  return (
    (message.toolCalls?.length ?? 0) > 0 ||
    (message.thinkingBlocks?.length ?? 0) > 0 ||
    (message.reasoningItems?.length ?? 0) > 0
  );
}

function isWellFormed(value: unknown): boolean {
  return wellFormedJson(value) === value;
}

/** The arguments as a compatible server parses them; undefined if they do not parse. */
function parsed(input: unknown): unknown {
  try {
    return typeof input === 'string' ? JSON.parse(input) : undefined;
  } catch {
    return undefined;
  }
}
