import { isMeaningful } from '@palimpsest/events';
import type { AssistantMessage, ContentPart, Message, ToolMessage } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import { callIds } from '../wire/call-ids.js';
import type { CallIds } from '../wire/call-ids.js';
import { imageSource } from '../wire/image-source.js';
import { failedSilently, imageNotShown, noWords, pleaseGoOn, startOfConversation } from '../wire/placeholders.js';
import { toolInput } from '../wire/tool-input.js';
import type { ToolNames } from '../wire/tool-names.js';
import { leavesThinkingOff } from './model-version.js';

type Block = Anthropic.ContentBlockParam;
type TextOrImage = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

/** Clients have cut ids here since the rule was 64; longer ones get a short name. @see provider-protocol A.3 */
const maxCallIdLength = 64;

/** The instructions, which stand on top. Images cannot. */
export function systemBlocks(messages: readonly Message[]): Anthropic.TextBlockParam[] {
  return messages.flatMap((message) => (message.role === 'system' ? textOnly(message.content) : []));
}

/** The messages besides the instructions, as turns that begin with the user, alternate, and end with the user. */
export function turnsFromMessages(messages: readonly Message[], names: ToolNames, model: string): Turn[] {
  const ids = callIds({ maxLength: maxCallIdLength });
  const turns: Turn[] = [];
  const add = (role: Turn['role'], content: readonly Block[]) => {
    if (content.length === 0) return;
    if (turns.length === 0 && role === 'assistant')
      turns.push({ role: 'user', content: [textBlock(startOfConversation)] });
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content: [...content] });
  };

  for (const message of messages) {
    switch (message.role) {
      case 'system':
        break;
      case 'user':
        add('user', contentBlocks(message.content));
        break;
      case 'assistant':
        add('assistant', assistantBlocks(message, ids, names, model));
        break;
      case 'tool':
        add('user', resultBlocks(message, ids));
    }
  }
  // Nobody answers an answer: current models refuse to continue one (A11), and no message at all is refused as well.
  if (turns.length === 0) add('user', [textBlock(startOfConversation)]);
  if (turns.at(-1)?.role === 'assistant') add('user', [textBlock(pleaseGoOn)]);
  return turns.map(finished);
}

function finished({ role, content }: Turn): Turn {
  const isResult = ({ type }: Block) => type === 'tool_result';
  return { role, content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))] };
}

function assistantBlocks(message: AssistantMessage, ids: CallIds, names: ToolNames, model: string): Block[] {
  const { toolCalls = [] } = message;
  const sentIds = ids.ofCalls(toolCalls);
  const thinking = leavesThinkingOff(model) ? [] : thinkingBlocks(message);
  // Only the user's side can hold images.
  const words = textOnly(message.content);
  // A turn may not end in thinking. Said here and not at the turn's end, so that a later neighbour changes nothing.
  if (thinking.length > 0 && words.length === 0 && toolCalls.length === 0) words.push(textBlock(noWords));
  return [
    ...thinking,
    ...words,
    ...toolCalls.map((call, index) => ({
      type: 'tool_use' as const,
      id: sentIds[index] ?? call.id,
      name: names.toWire(call.name),
      input: toolInput(call.arguments),
    })),
  ];
}

/** A block without a signature was not made by this provider, which would refuse it. */
function thinkingBlocks(message: AssistantMessage): Block[] {
  return (message.thinkingBlocks ?? []).flatMap((block): Block[] => {
    if (block.type === 'redacted-thinking') return [{ type: 'redacted_thinking', data: block.data }];
    if (block.signature === undefined) return [];
    return [{ type: 'thinking', thinking: block.thinking, signature: block.signature }];
  });
}

/** The result, and what cannot stand in it: an error's images, since error results take text only. */
function resultBlocks(message: ToolMessage, ids: CallIds): Block[] {
  const blocks = contentBlocks(message.content);
  const result = { type: 'tool_result' as const, tool_use_id: ids.ofResult(message.toolCallId) };
  if (message.isError !== true) return [{ ...result, ...(blocks.length === 0 ? {} : { content: blocks }) }];
  const texts = blocks.filter(({ type }) => type === 'text');
  const images = blocks.filter(({ type }) => type === 'image');
  return [{ ...result, content: texts.length === 0 ? [textBlock(failedSilently)] : texts, is_error: true }, ...images];
}

function contentBlocks(content: readonly ContentPart[]): TextOrImage[] {
  return content.filter(isMeaningful).map((part): TextOrImage => {
    if (part.type === 'text') return textBlock(part.text);
    const source = imageSource(part);
    switch (source.type) {
      case 'url':
        return { type: 'image', source: { type: 'url', url: source.url } };
      case 'base64':
        return { type: 'image', source: { type: 'base64', media_type: source.mediaType, data: source.data } };
      case 'unsupported':
        return textBlock(imageNotShown(source.reason));
    }
  });
}

function textOnly(content: readonly ContentPart[]): Anthropic.TextBlockParam[] {
  return content
    .filter(isMeaningful)
    .map((part) => textBlock(part.type === 'text' ? part.text : imageNotShown('it stands where only text can')));
}

function textBlock(text: string): Anthropic.TextBlockParam {
  return { type: 'text', text };
}
