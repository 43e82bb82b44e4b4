import { field, isRecord, listOf, responsesItems, textOf } from '@palimpsest/messages';
import type { HostMessage } from '@palimpsest/messages';

/** An item of the Agents SDK: `AgentInputItem`. */
export type AgentItem = object;

type Content = Extract<HostMessage['pieces'][number], { type: 'content' }>['part'];

const responses = responsesItems();

/** Reads an item of the Agents SDK: what its API calls the same, in camel case. */
export function readItem(item: unknown): HostMessage {
  const type = field(item, 'type');
  switch (type) {
    case 'reasoning':
      return responses.read({ ...(item as object), ...wireReasoning(item) });
    case 'function_call':
      return ofProgram(item, responses.read(item));
    case 'function_call_result':
      return ofProgram(
        item,
        responses.read({ ...(item as object), output: partsOf(field(item, 'output')).map(wirePart) }),
      );
    case 'computer_call_result': {
      const screenshot = { type: 'input_image', image_url: field(field(item, 'output'), 'data') };
      return responses.read({ type: 'computer_call_output', callId: field(item, 'callId'), output: [screenshot] });
    }
    case 'shell_call_output':
      return responses.read({ ...(item as object), output: shellTexts(item).map(textPart) });
    case 'computer_call':
    case 'shell_call':
    case 'apply_patch_call':
    case 'apply_patch_call_output':
      return responses.read(item);
    case 'hosted_tool_call':
      return hostedCall(item);
    case 'program':
    case 'program_output':
      return { ...opaque(item, 'assistant', 'A program of the model'), ...pairOf('program', field(item, 'callId')) };
    case 'tool_search_call':
    case 'tool_search_output':
      // Calls of the tools that a search has loaded are refused without it.
      return { ...opaque(item, 'assistant', 'A search for tools'), isBarrier: true };
    case 'compaction':
      return { ...opaque(item, 'user', 'A compaction of the provider'), isBarrier: true, replacesBefore: true };
    case 'unknown':
      return opaque(item, 'assistant', 'An item of the provider');
    case undefined:
    case 'message': {
      const content = field(item, 'content');
      return responses.read(Array.isArray(content) ? { ...(item as object), content: content.map(wirePart) } : item);
    }
    default:
      return opaque(item, 'user', `An item of the type '${String(type)}'`);
  }
}

/** Returns the texts of what a shell has printed. */
export function shellTexts(item: unknown): readonly string[] {
  return listOf(field(item, 'output'))
    .flatMap((one) => [field(one, 'stdout'), field(one, 'stderr')])
    .flatMap((text) => (typeof text === 'string' && text !== '' ? [text] : []));
}

/** Returns the parts of an output, which is text, a part, or a list of parts. */
export function partsOf(output: unknown): readonly unknown[] {
  if (typeof output === 'string') return output === '' ? [] : [textPart(output)];
  return Array.isArray(output)
    ? (output as readonly unknown[])
    : output === undefined || output === null
      ? []
      : [output];
}

/** Returns a part as input of a model. */
export function textPart(text: string): { readonly type: 'input_text'; readonly text: string } {
  return { type: 'input_text', text };
}

/** Returns the URL of the image in a part. Undefined if it has none, or one that the provider stores. */
export function imageUrl(part: unknown): string | undefined {
  const type = field(part, 'type');
  if (type !== 'input_image' && type !== 'image') return undefined;
  const image = field(part, 'image');
  const data = textOf(field(image, 'data'));
  return (
    textOf(image) ??
    textOf(field(image, 'url')) ??
    (data === undefined ? undefined : `data:${textOf(field(image, 'mediaType')) ?? 'image/png'};base64,${data}`)
  );
}

/** Returns a part in neutral form, if it is text or an image. */
export function contentOf(part: unknown): Content | undefined {
  const text = field(part, 'text');
  if (typeof text === 'string') return { type: 'text', text };
  const url = imageUrl(part);
  return url === undefined ? undefined : { type: 'image', url };
}

/** A part as the API has it, as far as a reader of the API needs it. */
function wirePart(part: unknown): unknown {
  const url = imageUrl(part);
  return url === undefined || !isRecord(part) ? part : { ...part, type: 'input_image', image_url: url };
}

function wireReasoning(item: unknown): object {
  const data = field(item, 'providerData');
  const sealed = textOf(field(data, 'encryptedContent')) ?? textOf(field(data, 'encrypted_content'));
  return {
    summary: field(item, 'content'),
    content: field(item, 'rawContent'),
    ...(sealed === undefined ? {} : { encrypted_content: sealed }),
  };
}

/** A call that the provider has answered itself: one item holds both. Requests for approval go with their answers. */
function hostedCall(item: unknown): HostMessage {
  const [name, data] = [textOf(field(item, 'name')) ?? 'a tool', field(item, 'providerData')];
  const kind = textOf(field(data, 'type')) ?? name;
  const output = textOf(field(item, 'output')) ?? '';
  // An image that a tool has made stands in its output.
  const said = `${name} ${textOf(field(item, 'arguments')) ?? ''} ${output.slice(0, 2_000)}`.trim();
  const of = (role: 'assistant' | 'user') => opaque(item, role, `The provider ran ${said}`);
  if (kind === 'mcp_approval_request') {
    return { ...of('assistant'), ...pairOf('approval', field(item, 'id') ?? field(data, 'id')), isOpen: true };
  }
  if (kind !== 'mcp_approval_response') return of('assistant');
  const request = field(data, 'approval_request_id') ?? field(data, 'approvalRequestId');
  return { ...of('user'), ...pairOf('approval', request) };
}

/** The calls that a program makes go with it. */
function ofProgram(item: unknown, host: HostMessage): HostMessage {
  return { ...host, ...pairOf('program', field(field(item, 'caller'), 'callerId')) };
}

function pairOf(kind: string, id: unknown): Pick<HostMessage, 'pair'> {
  const name = textOf(id);
  return name === undefined ? {} : { pair: `${kind} ${name}` };
}

/** An item that is kept or forgotten as it is, and what a condenser reads of it. */
function opaque(item: unknown, role: 'assistant' | 'user', shown: string): HostMessage {
  return {
    role,
    ...(role === 'user' ? { source: 'environment' } : {}),
    pieces: [
      { type: 'unread', path: '', reason: shown, value: item },
      { type: 'content', part: { type: 'text', text: `(${shown}.)` }, isStandIn: true },
    ],
  };
}
