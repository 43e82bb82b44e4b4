import { field, isRecord, listOf, textOf, unmarked } from '@palimpsest/messages';
import type { MessageChanges } from '@palimpsest/messages';
import { blockKind, blocksOf, chat, isSigned, itemsOf, responses } from './content-blocks.js';
import { messageOf, withFields } from './message-fields.js';
import type { Fields } from './message-fields.js';

type Words = Exclude<MessageChanges['words'], 'left-out' | undefined>;

/**
 * Returns a copy of a message with changes; the message itself if no change concerns it, undefined if nothing is left
 * of it.
 */
export function changedMessage<Message extends object>(message: Message, changes: MessageChanges): Message | undefined {
  const known = messageOf(message);
  if (known === undefined)
    return chat.changed(message as { readonly role: string } & Message, changes) as Message | undefined;
  const { kind, fields } = known;
  switch (kind) {
    case 'ai':
      return changedAnswer(message, fields, changes);
    case 'tool':
    case 'function':
      return changedResult(message, fields, changes);
    default: {
      const { words } = changes;
      if (words === undefined) return message;
      return words === 'left-out' ? undefined : withFields(message, { content: contentOf(words, fields['content']) });
    }
  }
}

/** The status, the artifact and all else of a result stay. */
function changedResult<Message extends object>(
  message: Message,
  fields: Fields,
  changes: MessageChanges,
): Message | undefined {
  const id = textOf(fields['tool_call_id']) ?? '';
  const change = changes.results?.get(id);
  if (change === undefined) return message;
  if (change === 'left-out') return undefined;
  const { content } = fields;
  const results = new Map([[id, change]]);
  // LangChain passes a result through to the Responses API if all its parts are of that API.
  const isOfResponses =
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((part) => /^input_/.test(String(field(part, 'type'))));
  const changed = isOfResponses
    ? field(responses.changed({ type: 'function_call_output', call_id: id, output: content }, { results }), 'output')
    : field(chat.changed({ role: 'tool', tool_call_id: id, content } as { role: string }, { results }), 'content');
  return withFields(message, { content: changed });
}

function changedAnswer<Message extends object>(
  message: Message,
  fields: Fields,
  changes: MessageChanges,
): Message | undefined {
  const content = changedContent(fields['content'], changes);
  const kwargs = changedKwargs(fields['additional_kwargs'], changes);
  const lists = Object.fromEntries(
    ['tool_calls', 'invalid_tool_calls', 'tool_call_chunks'].flatMap((name) => {
      const list = fields[name];
      const changed = Array.isArray(list) ? changedCalls(list, changes) : list;
      return changed === list ? [] : [[name, changed]];
    }),
  );
  const isSame = content === fields['content'] && kwargs === fields['additional_kwargs'];
  if (isSame && Object.keys(lists).length === 0) return message;
  const calls = [...listOf(lists['tool_calls'] ?? fields['tool_calls']), ...listOf(field(kwargs, 'tool_calls'))];
  const hasCalls = calls.length > 0 || isRecord(field(kwargs, 'function_call'));
  if (!hasCalls && !blocksOf(content).some(isSubstance)) return undefined;
  return withFields(message, {
    content,
    ...lists,
    ...(kwargs === undefined ? {} : { additional_kwargs: kwargs }),
    ...(isRecord(fields['response_metadata']) ? { response_metadata: changedItems(fields, changes) } : {}),
    // By its id a provider would put the original in the place of the copy.
    ...(changes.words === undefined ? {} : { id: undefined }),
  });
}

/**
 * Returns a message with one call or result of a message and nothing else, under another id. Undefined if there is
 * none. LangChain writes what it sends from the parsed calls if there is nothing else.
 */
export function extractedMessage<Message extends object>(
  message: Message,
  id: string,
  as: string,
): Message | undefined {
  const known = messageOf(message);
  if (known === undefined)
    return chat.extracted(message as { readonly role: string } & Message, id, as) as Message | undefined;
  const { kind, fields } = known;
  if (kind === 'tool' || kind === 'function') {
    const isNamed = (textOf(fields['tool_call_id']) ?? '') === id;
    return isNamed ? withFields(message, { tool_call_id: as, content: unmarked(fields['content']) }) : undefined;
  }
  const isNamed = (call: unknown) => (textOf(field(call, 'id')) ?? '') === id;
  const [parsed, listed] = [fields['tool_calls'], field(fields['additional_kwargs'], 'tool_calls')].map((calls) =>
    listOf(calls).findLast(isNamed),
  );
  if (kind !== 'ai' || !(isRecord(parsed) || isRecord(listed))) return undefined;
  return withFields(message, {
    id: undefined,
    content: '',
    tool_calls: isRecord(parsed) ? [{ ...parsed, id: as }] : [],
    additional_kwargs: isRecord(parsed) || !isRecord(listed) ? {} : { tool_calls: [{ ...listed, id: as }] },
    ...Object.fromEntries(emptied.flatMap((name) => (name in fields ? [[name, []]] : []))),
    ...(isRecord(fields['response_metadata'])
      ? { response_metadata: { ...fields['response_metadata'], output: undefined } }
      : {}),
  });
}

const emptied = ['invalid_tool_calls', 'tool_call_chunks'] as const;

/** Returns true if a block makes a message that a provider accepts. */
function isSubstance(block: unknown): boolean {
  const kind = blockKind(block);
  const text = field(block, 'text');
  return kind === 'call' || (kind === 'words' && (typeof text !== 'string' || text.trim() !== ''));
}

function changedContent(content: unknown, changes: MessageChanges): unknown {
  const { words, thinking } = changes;
  if (typeof content === 'string' || !Array.isArray(content)) {
    if (words === undefined) return content;
    return words === 'left-out' ? '' : contentOf(words, content);
  }
  const blocks: readonly unknown[] = content;
  let hasWords = false;
  const changedCallsAt = new Set<unknown>();
  const changed = blocks.flatMap((block): readonly unknown[] => {
    switch (blockKind(block)) {
      case 'thinking':
        return thinking === 'left-out' && isSigned(block) ? [] : [block];
      case 'call': {
        const [copy] = changedCalls([block], changes);
        if (copy !== block) changedCallsAt.add(field(block, 'index'));
        return copy === undefined ? [] : [copy];
      }
      case 'rest-of-call':
        // The rest of a streamed call has the index of the call.
        return changedCallsAt.has(field(block, 'index')) ? [] : [block];
      default: {
        if (words === undefined) return [block];
        if (words === 'left-out' || hasWords) return [];
        hasWords = true;
        return blocksOf(contentOf(words, content));
      }
    }
  });
  return changed.length === blocks.length && changed.every((block, index) => block === blocks[index])
    ? content
    : changed;
}

/** The same list if no change concerns it. Calls are blocks, parsed calls, or calls that could not be parsed. */
function changedCalls(calls: readonly unknown[], { calls: changes }: MessageChanges): readonly unknown[] {
  if (changes === undefined) return calls;
  const changed = calls.flatMap((call): readonly unknown[] => {
    const change = changes.get(textOf(field(call, 'id')) ?? '');
    if (change === undefined || !isRecord(call)) return [call];
    if (change === 'left-out') return [];
    const args = parsed(change.arguments);
    if ('input' in call) return [{ ...call, input: args }];
    return [{ ...call, args: typeof call['args'] === 'string' ? change.arguments : args }];
  });
  return changed.length === calls.length && changed.every((call, index) => call === calls[index]) ? calls : changed;
}

function parsed(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return isRecord(value) ? value : { input: value };
  } catch {
    return { input: text };
  }
}

/** Calls as the provider wrote them, and the ids of its items. */
function changedKwargs(kwargs: unknown, { calls }: MessageChanges): unknown {
  if (calls === undefined || !isRecord(kwargs)) return kwargs;
  const { tool_calls: listed, function_call: legacy, [itemIds]: ids, ...rest } = kwargs;
  const isNamed = (call: unknown) => calls.has(textOf(field(call, 'id')) ?? '');
  const left = isRecord(ids) ? Object.entries(ids).filter(([id]) => !calls.has(id)) : [];
  const isSame =
    !listOf(listed).some(isNamed) &&
    (legacy === undefined || !calls.has('')) &&
    left.length === (isRecord(ids) ? Object.keys(ids).length : 0);
  if (isSame) return kwargs;
  const answer = { role: 'assistant', content: '.', tool_calls: listed, function_call: legacy };
  const changed = chat.changed(answer, { calls });
  const [newList, newLegacy] = [field(changed, 'tool_calls'), field(changed, 'function_call')];
  return {
    ...rest,
    ...(newList === undefined ? {} : { tool_calls: newList }),
    ...(newLegacy === undefined ? {} : { function_call: newLegacy }),
    ...(ids === undefined ? {} : { [itemIds]: Object.fromEntries(left) }),
  };
}

/** The place where `@langchain/openai` keeps the ids of function call items. */
const itemIds = '__openai_function_call_ids__';

/** LangChain sends the items of an answer in the place of the message, so they change with it. */
function changedItems(fields: Fields, changes: MessageChanges): unknown {
  const metadata = fields['response_metadata'];
  const items = itemsOf(fields);
  if (items.length === 0 || !isRecord(metadata)) return metadata;
  let hasWords = false;
  const output = items.flatMap((item) => {
    const isMessage = field(item, 'type') === 'message';
    const words = isMessage && hasWords && changes.words !== undefined ? 'left-out' : changes.words;
    hasWords ||= isMessage;
    const changed = responses.changed(item, { ...changes, words });
    if (changed === undefined || changed === item) return changed ?? [];
    const { id: _id, ...rest } = changed as Fields;
    return [rest];
  });
  return { ...metadata, output };
}

/** Words as a content. A block that the host holds already is that block, with its options. */
function contentOf(words: Words, content: unknown): unknown {
  const blocks = blocksOf(content);
  const [only] = words;
  if (typeof content === 'string' && words.length === 1 && only?.type === 'text') return only.text;
  return words.map((part) =>
    part.type === 'text'
      ? (blocks.find((block) => field(block, 'type') === 'text' && field(block, 'text') === part.text) ?? {
          type: 'text',
          text: part.text,
        })
      : { type: 'image_url', image_url: { url: part.url } },
  );
}
