import type { HostMessage, HostPart, HostToolState } from './host.js';

/** A message in the form of the Messages API. A host's message is one for what was said, and one for the results of its calls. */
export interface Piece {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Block[];
  /** True for the summary that opencode's own compaction made. */
  readonly isSummary?: boolean;
}

/** A block of a piece. */
export interface Block {
  readonly type: string;
  /** The index of the part that it was. Undefined for words that a condensation wrote. */
  readonly part?: number;
  readonly [key: string]: unknown;
}

/** Returns what the provider gets of a message, in its order: opencode writes a step as an answer, then its results. */
export function apart({ info, parts }: HostMessage): readonly Piece[] {
  if (info.role === 'user') return [{ role: 'user', content: parts.flatMap(userBlocks) }];
  if (isUnsent({ info, parts })) return [{ role: 'assistant', content: [] }];
  const isSummary = info.summary === true;
  const pieces: Piece[] = [];
  for (const step of stepsOf(parts)) {
    const said = step.flatMap(([part, index]) => answerBlocks(part, index));
    const results = step.flatMap(([part, index]) => resultBlocks(part, index));
    pieces.push({ role: 'assistant', content: said, ...(isSummary ? { isSummary } : {}) });
    if (results.length > 0) pieces.push({ role: 'user', content: results });
  }
  return pieces;
}

/** An answer that ended in an error is not sent, unless a person stopped it after it had said something. */
function isUnsent({ info, parts }: HostMessage): boolean {
  if ((info.error ?? undefined) === undefined) return false;
  const saysSomething = parts.some(({ type }) => type !== 'step-start' && type !== 'reasoning');
  return !(info.error?.name === 'MessageAbortedError' && saysSomething);
}

type Placed = readonly [part: HostPart, index: number];

/** Older versions held all steps of a turn in one message. */
function stepsOf(parts: readonly HostPart[]): readonly (readonly Placed[])[] {
  const steps: Placed[][] = [[]];
  parts.forEach((part, index) => {
    if (part.type === 'step-start' && steps.at(-1)?.some(([{ type }]) => type === 'tool')) steps.push([]);
    steps.at(-1)?.push([part, index]);
  });
  return steps;
}

function userBlocks(part: HostPart, index: number): readonly Block[] {
  switch (part.type) {
    case 'text':
      return part.ignored === true || !part.text ? [] : [{ type: 'text', text: part.text, part: index }];
    case 'file': {
      // opencode writes these out as text beside the part.
      const isWrittenOut = part.mime === 'text/plain' || part.mime === 'application/x-directory';
      return isWrittenOut ? [] : [{ ...fileBlock(part), part: index }];
    }
    case 'compaction':
      return [{ type: 'text', text: 'What did we do so far?', part: index }];
    case 'subtask':
      return [{ type: 'text', text: 'The following tool was executed by the user', part: index }];
    default:
      return [];
  }
}

function answerBlocks(part: HostPart, index: number): readonly Block[] {
  switch (part.type) {
    case 'text':
      return part.text ? [{ type: 'text', text: part.text, part: index }] : [];
    case 'reasoning':
      return [{ ...thinkingBlock(part), part: index }];
    case 'tool': {
      const { callID: id = '', tool: name = '', state } = part;
      const input = state?.input ?? {};
      if (isOfProvider(part)) return [{ type: 'provider_tool', id, name, input, state, part: index }];
      return [{ type: 'tool_use', id, name, input, part: index }];
    }
    default:
      return [];
  }
}

function resultBlocks(part: HostPart, index: number): readonly Block[] {
  if (part.type !== 'tool' || isOfProvider(part)) return [];
  const { content, isError } = resultOf(part.state);
  const failed = isError ? { is_error: true } : {};
  return [{ type: 'tool_result', tool_use_id: part.callID ?? '', content, ...failed, part: index }];
}

/** The provider ran the tool itself: call and result stand in one answer. */
function isOfProvider({ metadata }: HostPart): boolean {
  return metadata?.['providerExecuted'] === true;
}

/**
 * What the model reads of a result. An output that opencode's own pruning has cleared reads as it was: opencode still holds it, and a
 * condensation that covers it goes on holding.
 */
export function resultOf(state: HostToolState | undefined): {
  readonly content: string | readonly Block[];
  readonly isError: boolean;
} {
  switch (state?.status) {
    case 'completed': {
      const files = (state.attachments ?? []).map(fileBlock);
      const text = state.output ?? '';
      return { content: files.length === 0 ? text : [{ type: 'text', text }, ...files], isError: false };
    }
    case 'error': {
      const output = state.metadata?.['interrupted'] === true ? state.metadata['output'] : undefined;
      return typeof output === 'string'
        ? { content: output, isError: false }
        : { content: state.error ?? '', isError: true };
    }
    default:
      return { content: '[Tool execution was interrupted]', isError: true };
  }
}

function thinkingBlock({ text = '', metadata }: HostPart): Block {
  const own = metadata?.['anthropic'] as { readonly signature?: unknown; readonly redactedData?: unknown } | undefined;
  if (typeof own?.redactedData === 'string') return { type: 'redacted_thinking', data: own.redactedData };
  return {
    type: 'thinking',
    thinking: text,
    ...(typeof own?.signature === 'string' ? { signature: own.signature } : {}),
  };
}

function fileBlock({ mime = '', url = '', filename }: HostPart): Block {
  const data = /^data:([^;,]*);base64,(.*)$/s.exec(url);
  const source =
    data === null
      ? { type: 'url', url }
      : { type: 'base64', media_type: data[1] === '' ? mime : data[1], data: data[2] };
  return mime.startsWith('image/') ? { type: 'image', source } : { type: 'document', source, title: filename };
}
