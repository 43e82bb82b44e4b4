import type { KnownContent } from '@palimpsest/events';
import { field, isRecord, readResponsesItem, textOf } from '@palimpsest/llm-adapters/wire';
import type { Codec, HostMessage, MessageChanges, ResultChange } from './codec.js';
import { changedContent, markedContent, marksIn, responsesOutput, unmarked } from './parts.js';
import { withPreambles } from './preambles.js';

/** An item of the Responses API, input or output, of any version of the SDK. */
export type ResponsesItemLike = object;

/** A tool as the Responses API declares it. */
export interface ResponsesTool {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

/** Returns the codec of OpenAI's Responses API, as the SDK `openai` holds them: input and output in order. */
export function responsesItems(): Codec<ResponsesItemLike, ResponsesTool> {
  return {
    name: 'responses',
    returnsNewPieces: true,
    mergesAnswers: true,
    read: readItem,
    summary: (text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
    changed: changedItem,
    extracted: extractedItem,
    marks: (item) => marksIn(field(item, contentKey(item))),
    marked: (item, mark) => {
      const key = contentKey(item);
      const content =
        field(item, 'role') === 'assistant' ? undefined : markedContent(field(item, key), mark, 'input_text');
      return content === undefined ? undefined : { ...item, [key]: content };
    },
    result: ({ text, images, files }) => [
      { type: 'input_text', text },
      ...images.map(({ url }) => ({ type: 'input_image', image_url: url, detail: 'auto' })),
      ...files,
    ],
    tool: ({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
      strict: false,
    }),
  };
}

function readItem(item: unknown): HostMessage {
  const host = withPreambles(readResponsesItem(item));
  switch (field(item, 'type')) {
    case 'compaction':
    case 'context_compaction':
      return { ...host, isBarrier: true, replacesBefore: true };
    case 'mcp_approval_request':
      // The model's own: it is one answer with the reasoning before it.
      return { ...host, role: 'assistant', pair: `approval ${textOf(field(item, 'id')) ?? ''}`, isOpen: true };
    case 'mcp_approval_response':
      return { ...host, pair: `approval ${textOf(field(item, 'approval_request_id')) ?? ''}` };
    default:
      return host;
  }
}

function changedItem(item: ResponsesItemLike, changes: MessageChanges): ResponsesItemLike | undefined {
  const { pieces } = readResponsesItem(item);
  const [piece] = pieces;
  switch (piece?.type) {
    case 'call': {
      const change = changes.calls?.get(piece.id ?? '');
      if (change === undefined) return item;
      if (change === 'left-out') return undefined;
      const key = argumentFields.get(textOf(field(item, 'type')) ?? '');
      return key === undefined ? item : { ...item, [key]: change.arguments };
    }
    case 'result': {
      const change = changes.results?.get(piece.toolCallId ?? '');
      if (change === undefined) return item;
      if (change === 'left-out') return undefined;
      return withOutput(item, change);
    }
    case 'reasoning-item':
      return item;
    default: {
      if (changes.words === undefined || field(item, 'content') === undefined) return item;
      if (changes.words === 'left-out') return undefined;
      const isAnswer = field(item, 'role') === 'assistant';
      const content = changes.words.map((part) =>
        part.type === 'text'
          ? { type: isAnswer ? 'output_text' : 'input_text', text: part.text, ...(isAnswer ? { annotations: [] } : {}) }
          : { type: 'input_image', image_url: part.url, detail: 'auto' },
      );
      return { ...item, content };
    }
  }
}

function extractedItem(item: ResponsesItemLike, id: string, as: string): ResponsesItemLike | undefined {
  const [piece] = readResponsesItem(item).pieces;
  const named = piece?.type === 'call' ? piece.id : piece?.type === 'result' ? piece.toolCallId : undefined;
  if (named !== id) return undefined;
  const { id: _id, ...rest } = item as Readonly<Record<string, unknown>>;
  const key = 'callId' in item ? 'callId' : 'call_id';
  return { ...rest, [key]: as, ...('output' in item ? { output: unmarked(item.output) } : {}) };
}

/**
 * The field in which a call has its arguments as text, by the type of the call. A call for a shell, a computer or a patch has
 * none: the API takes no other form of it.
 */
const argumentFields: ReadonlyMap<string, string> = new Map([
  ['function_call', 'arguments'],
  ['custom_tool_call', 'input'],
]);

/** A result in the form that the API takes for its type. A screenshot has no other form, so it stays. */
function withOutput(item: ResponsesItemLike, change: Exclude<ResultChange, 'left-out'>): ResponsesItemLike {
  const output = field(item, 'output');
  switch (field(item, 'type')) {
    case 'computer_call_output':
      return item;
    case 'shell_call_output': {
      const runs: readonly unknown[] = Array.isArray(output) ? output : [];
      const last = runs.at(-1);
      const before = change.content === undefined ? runs.slice(0, -1) : [];
      const stdout = changedContent(textOf(field(last, 'stdout')) ?? '', change, plainText);
      const stderr = change.content === undefined ? (field(last, 'stderr') ?? '') : '';
      const outcome = field(last, 'outcome') ?? { type: 'exit', exit_code: 0 };
      return { ...item, output: [...before, { outcome, stderr, stdout }] };
    }
    case 'local_shell_call_output':
    case 'apply_patch_call_output':
      return { ...item, output: changedContent(textOf(output) ?? '', change, plainText) };
    default:
      return { ...item, output: changedContent(output, change, responsesOutput, 'input_text') };
  }
}

const plainText = (content: readonly KnownContent[]) =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

function contentKey(item: unknown): string {
  return isRecord(item) && item['output'] !== undefined ? 'output' : 'content';
}
