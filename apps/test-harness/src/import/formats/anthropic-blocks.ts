import type { ContentPart, ThinkingBlock } from '@palimpsest/events';
import { contentParts } from '../content-parts.js';
import { isObject, listOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { NoteTaker } from '../note-taker.js';
import type { ResponseDraft } from '../response-draft.js';
import type { Entry, SessionRecorder } from '../session-recorder.js';

/** The blocks of a message's content; a string is one text block. */
export function anthropicBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (isObject(content)) return [content];
  return listOf(content).map((block) =>
    isObject(block) ? block : { type: 'text', text: typeof block === 'string' ? block : JSON.stringify(block) },
  );
}

/** Adds the blocks of an assistant message to a reply: words, thinking with its signature, and calls. */
export function addAssistantBlocks(
  content: unknown,
  to: {
    readonly response: ResponseDraft;
    readonly entry: Entry;
    readonly recorder: SessionRecorder;
    readonly notes: NoteTaker;
  },
): void {
  const { response, entry, recorder, notes } = to;
  for (const [index, block] of anthropicBlocks(content).entries()) {
    switch (block['type']) {
      case 'thinking':
      case 'redacted_thinking':
        response.addThinking(thinkingBlock(block));
        break;
      case 'tool_use':
        recorder.call(response, entry, {
          id: textOf(block['id']) ?? `call-of-${entry.id}-${index}`,
          name: textOf(block['name']) ?? 'unknown',
          input: block['input'],
        });
        break;
      default:
        response.thought.push(...contentParts([block], unsupported(notes, entry)));
    }
  }
}

/**
 * Tells the recorder of a user message's blocks: each `tool_result` becomes a result, and the rest, after them, a message.
 */
export function recordUserBlocks(
  content: unknown,
  from: {
    readonly entry: Entry;
    readonly recorder: SessionRecorder;
    readonly notes: NoteTaker;
    readonly sourceOf: (text: string) => 'user' | 'environment';
  },
): void {
  const { entry, recorder, notes } = from;
  const words: ContentPart[] = [];
  for (const block of anthropicBlocks(content)) {
    if (block['type'] !== 'tool_result') {
      words.push(...contentParts([block], unsupported(notes, entry)));
      continue;
    }
    recorder.result(entry, {
      callId: textOf(block['tool_use_id']),
      content: contentParts(block['content'], unsupported(notes, entry)),
      isError: block['is_error'] === true,
    });
  }
  const isOnlyResults = words.length === 0 && anthropicBlocks(content).length > 0;
  if (isOnlyResults) return;
  const firstText = words.find((part) => part.type === 'text');
  recorder.message(entry, words, from.sourceOf(firstText?.text ?? ''));
}

function thinkingBlock(block: JsonObject): ThinkingBlock {
  if (block['type'] === 'redacted_thinking') return { type: 'redacted-thinking', data: textOf(block['data']) ?? '' };
  const signature = textOf(block['signature']);
  const thinking = textOf(block['thinking']) ?? '';
  return signature === undefined ? { type: 'thinking', thinking } : { type: 'thinking', thinking, signature };
}

function unsupported(notes: NoteTaker, entry: Entry): (type: string) => void {
  return (type) => notes.add('unsupported-content', `a block of type '${type}' was kept as text`, entry.line);
}
