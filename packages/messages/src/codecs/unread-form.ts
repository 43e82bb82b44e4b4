import { field, isRecord, listOf, textOf } from '@palimpsest/llm-adapters/wire';
import type { Codec, HostMessage } from './codec.js';

/** The form of a message that a codec does not read: that of another API or framework. */
export interface UnreadForm {
  /** The finding, as the predicate of a sentence: `has role 'tool'`. */
  readonly found: string;
  /** The remedy, as a sentence. */
  readonly advice: string;
}

/** A form of messages: the function that makes its codec, and the names of the codecs that read it. */
interface Form {
  readonly codec: string;
  readonly names: readonly string[];
}

const chat: Form = { codec: 'chatMessages()', names: ['chat'] };
const anthropic: Form = { codec: 'anthropicMessages()', names: ['anthropic'] };
const responses: Form = { codec: 'responsesItems()', names: ['responses'] };
const agents: Form = { codec: 'agentItems() of @palimpsest/openai-agents', names: ['openai-agents'] };
const aiSdk: Form = { codec: 'modelMessages() of @palimpsest/ai-sdk', names: ['ai-sdk', 'ai-sdk-prompt'] };
const langchain: Form = { codec: 'langchainMessages() of @palimpsest/langchain', names: ['langchain'] };
const items: Form = { codec: responses.codec, names: [...responses.names, ...agents.names] };
const forms = [chat, anthropic, responses, agents, aiSdk, langchain];

/** The types of parts and items that are of one form. Any other type is its codec's own matter. */
const formOfType: ReadonlyMap<unknown, Form> = new Map([
  ['tool_use', anthropic],
  ['tool_result', anthropic],
  ['tool-call', aiSdk],
  ['tool-result', aiSdk],
  ['input_text', items],
  ['output_text', items],
  ['function_call', items],
  ['function_call_output', responses],
  ['custom_tool_call', responses],
  ['custom_tool_call_output', responses],
  ['function_call_result', { ...agents, names: items.names }],
]);

const langchainTypes: ReadonlySet<unknown> = new Set(['human', 'ai', 'tool', 'function', 'generic', 'constructor']);

/** Returns what a codec has not read of a message because of its form. Undefined where it knows the form. */
export function unreadForm(message: unknown, host: HostMessage, { name }: Codec): UnreadForm | undefined {
  if (isOfLangChain(message)) return name === 'langchain' ? undefined : of('is a message of LangChain', langchain);
  const calls = ['tool_calls', 'function_call'].find((key) => isFilled(field(message, key)));
  const isRead = host.role !== 'assistant' || host.pieces.some(({ type }) => type === 'call');
  if (calls !== undefined && !isRead) return of(`has '${calls}'`, chat);
  if (isFilled(field(message, 'parts')) && !host.pieces.some(({ type }) => type === 'content')) {
    const isOfAiSdk = listOf(field(message, 'parts')).some((part) => textOf(field(part, 'type')) !== undefined);
    if (!isOfAiSdk) return { found: "has 'parts'", advice: noCodec };
    const advice = `Convert UIMessages by convertToModelMessages() of ai, and use ${aiSdk.codec}.`;
    return { found: "has 'parts'", advice };
  }
  if (host.role === undefined) return withoutRole(message, name);
  return foreignPart(host, name);
}

function withoutRole(message: unknown, name: string): UnreadForm | undefined {
  const [role, type] = [textOf(field(message, 'role')), textOf(field(message, 'type'))];
  const parts = [message, ...listOf(field(message, 'content'))];
  const form = parts.map((part) => formOfType.get(field(part, 'type'))).find((one) => one !== undefined);
  if (role !== undefined) return of(`has role '${role}'`, form ?? formOfRole(role));
  // An item of a type that is not known here passes through: only its API knows all of them.
  if (type === undefined) return { found: 'has neither a role nor a type', advice: noCodec };
  if (items.names.includes(name) || !isOurs(name)) {
    return form === undefined || form.names.includes(name) ? undefined : of(`has the type '${type}'`, form);
  }
  return of(`has the type '${type}'`, form ?? (type === 'reasoning' ? responses : undefined));
}

function foreignPart({ pieces }: HostMessage, name: string): UnreadForm | undefined {
  for (const piece of pieces) {
    // The reader of Chat Completions knows more forms than its codec can change. Nothing is known of the codecs of others.
    const isLooked = piece.type === 'unread' || (isOurs(name) && (piece.type === 'call' || piece.type === 'result'));
    if (!isLooked) continue;
    const { value, path } = piece;
    const type = textOf(field(value, 'type'));
    const form = formOfType.get(type);
    if (form !== undefined && !form.names.includes(name)) {
      return of(`has ${path === '' ? 'the' : 'a part of the'} type '${type}'`, form);
    }
    const key = ['toolUse', 'toolResult'].find((one) => isRecord(field(value, one)));
    if (key !== undefined && piece.type === 'unread') return { found: `has '${key}'`, advice: noCodec };
  }
  return undefined;
}

function isOfLangChain(message: unknown): boolean {
  if (typeof field(message, 'getType') === 'function') return true;
  return field(message, 'role') === undefined && langchainTypes.has(field(message, 'type'));
}

function isOurs(name: string): boolean {
  return forms.some(({ names }) => names.includes(name));
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isRecord(value);
}

function formOfRole(role: string): Form | undefined {
  if (role === 'tool' || role === 'function') return chat;
  return role === 'developer' ? { ...chat, codec: `${chat.codec} or ${responses.codec}` } : undefined;
}

const noCodec = 'No codec of Palimpsest reads this form: convert the list, or write a codec.';

function of(found: string, form: Form | undefined): UnreadForm {
  return { found, advice: form === undefined ? noCodec : `Use ${form.codec}.` };
}

/** Returns how a codec is called in an error: by the function that makes it, if it is one of ours. */
export function codecCalled(name: string): string {
  const ours = forms.find(({ names }) => names.includes(name));
  return ours === undefined ? `the codec '${name}'` : (ours.codec.split(' ')[0] ?? name);
}
