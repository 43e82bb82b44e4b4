import { field, listOf, responsesItems, textOf } from '@palimpsest/messages';
import type { MessageChanges, ResultChange } from '@palimpsest/messages';
import { contentOf, imageUrl, partsOf, shellTexts, textPart } from './agent-item.js';
import type { AgentItem } from './agent-item.js';

type ShownResult = Exclude<ResultChange, 'left-out'>;
type Content = NonNullable<ShownResult['content']>;

const responses = responsesItems();

/**
 * Returns a copy of an item with changes; the item itself if no change concerns it, undefined if nothing is left of it.
 */
export function changedItem(item: AgentItem, changes: MessageChanges): AgentItem | undefined {
  const type = textOf(field(item, 'type'));
  const id = textOf(field(item, 'callId')) ?? '';
  switch (type) {
    case 'function_call':
      return responses.changed(item, changes);
    // What such a tool is told has a form of its own, which a masked text has not.
    case 'computer_call':
    case 'shell_call':
    case 'apply_patch_call':
      return changes.calls?.get(id) === 'left-out' ? undefined : item;
    case 'function_call_result':
    case 'shell_call_output':
    case 'apply_patch_call_output':
    case 'computer_call_result': {
      const change = changes.results?.get(id);
      if (change === 'left-out') return undefined;
      return change === undefined ? item : changedOutput(item, type, change);
    }
    case undefined:
    case 'message':
      return changedWords(item, changes.words);
    default:
      return item;
  }
}

function changedOutput(item: AgentItem, type: string, change: ShownResult): AgentItem {
  const output: unknown = field(item, 'output');
  switch (type) {
    case 'shell_call_output': {
      const printed = listOf(output);
      const text = textOfChange(change, shellTexts(item));
      return {
        ...item,
        output: [{ outcome: { type: 'exit', exitCode: null }, ...Object(printed.at(-1)), stdout: text, stderr: '' }],
      };
    }
    case 'apply_patch_call_output':
      return { ...item, output: textOfChange(change, [textOf(output) ?? '']) };
    case 'computer_call_result':
      // The API takes a screenshot and nothing else.
      return item;
    default:
      return { ...item, output: changedParts(output, change) };
  }
}

/** For outputs that are text. */
function textOfChange({ content, line }: ShownResult, texts: readonly string[]): string {
  const shown =
    content === undefined ? texts : content.map((part) => (part.type === 'text' ? part.text : '(An image.)'));
  return [...shown, ...(line === undefined ? [] : [line])].filter((text) => text !== '').join('\n');
}

function changedParts(output: unknown, { content, line }: ShownResult): unknown {
  const originals = partsOf(output);
  const isText = content === undefined ? originals.every(isTextPart) : content.every(({ type }) => type === 'text');
  if (isText)
    return textOfChange(
      { content, line },
      originals.map((part) => textOf(field(part, 'text')) ?? ''),
    );
  const parts = content === undefined ? originals.map(inputPart) : withOriginals(content, originals);
  return line === undefined ? parts : [...parts, textPart(line)];
}

function isTextPart(part: unknown): boolean {
  const type = field(part, 'type');
  return type === 'input_text' || type === 'text';
}

/** Content as parts. What a part of the host holds already is that part, with its fields. */
function withOriginals(content: Content, originals: readonly unknown[]): readonly unknown[] {
  return content.map((piece) => {
    const original = originals.find((part) => {
      const held = contentOf(part);
      return piece.type === 'text' ? held?.type === 'text' && held.text === piece.text : imageUrl(part) === piece.url;
    });
    if (original !== undefined) return inputPart(original);
    return piece.type === 'text' ? textPart(piece.text) : { type: 'input_image', image: piece.url };
  });
}

/** A part as it stands in a list: an output that is one part has another form. */
function inputPart(part: unknown): unknown {
  const fields = Object(part) as Record<string, unknown>;
  switch (field(part, 'type')) {
    case 'text':
      return { ...fields, type: 'input_text' };
    case 'image': {
      const stored = textOf(field(fields['image'], 'fileId'));
      return { ...fields, type: 'input_image', image: stored === undefined ? imageUrl(part) : { id: stored } };
    }
    case 'file':
      return { ...fields, type: 'input_file' };
    default:
      return part;
  }
}

function changedWords(item: AgentItem, words: MessageChanges['words']): AgentItem | undefined {
  if (words === undefined) return item;
  if (words === 'left-out') return undefined;
  const content: unknown = field(item, 'content');
  const originals = partsOf(content);
  const texts = words.map((part) => (part.type === 'text' ? part.text : '(An image.)'));
  switch (field(item, 'role')) {
    case 'system':
      return { ...item, content: texts.join('\n\n') };
    case 'assistant':
      return { ...item, content: texts.map((text) => ({ type: 'output_text', text })) };
    case 'user':
      return { ...item, content: withOriginals(words, originals) };
    default:
      return item;
  }
}
