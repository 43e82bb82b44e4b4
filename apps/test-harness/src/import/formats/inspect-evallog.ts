import type { ToolDefinition, Usage } from '@palimpsest/events';
import { anthropicUsage, readChatMessage } from '@palimpsest/llm-adapters/wire';
import { isObject, listOf, numberOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { plainText, SessionRecorder, toolDefinitions } from '../log/recorder.js';
import type { Entry, ImportedSession, LogFormat, LogSource } from '../log/session.js';

const attachmentPrefix = 'attachment://';

/** Evaluation logs of Inspect as JSON: one session per sample. Long texts are stored separately and are inserted again. */
export const inspectEvalLog: LogFormat = {
  name: 'inspect-evallog',

  recognise: ({ document }) =>
    isObject(document) &&
    isObject(document['eval']) &&
    listOf(document['samples']).some((sample) => isObject(sample) && Array.isArray(sample['messages'])),

  read: readInspect,
};

async function* readInspect(source: LogSource): AsyncGenerator<ImportedSession> {
  const samples = listOf(objectOf(source.document)['samples']).map(objectOf);
  for (const [index, sample] of samples.entries()) {
    const resolved = objectOf(
      withAttachments({ messages: sample['messages'], events: modelEvents(sample) }, objectOf(sample['attachments'])),
    );
    const calls = listOf(resolved['events']).map(objectOf);
    const recorder = new SessionRecorder(source.notes);
    const tools = toolDefinitions(calls[0]?.['tools'], source.notes);
    const messages = listOf(resolved['messages']).map(objectOf);
    if (tools.length > 0 && messages[0]?.['role'] !== 'system') recorder.systemPrompt({ id: 'tools' }, '', tools);
    let replies = 0;
    for (const [position, message] of messages.entries()) {
      const call = message['role'] === 'assistant' && message['source'] !== 'input' ? calls[replies++] : undefined;
      readMessage(
        message,
        { id: textOf(message['id']) ?? `message-${position}`, timestamp: call?.['timestamp'] },
        { recorder, call, tools },
      );
    }
    const name = samples.length === 1 ? source.name : `${source.name}#${sampleName(sample, index)}`;
    yield { name, events: recorder.finish() };
  }
}

/** Inspect can run a sample in several epochs. */
function sampleName(sample: JsonObject, index: number): string {
  const id = numberOf(sample['id']) ?? textOf(sample['id']) ?? index + 1;
  return `${id}.${numberOf(sample['epoch']) ?? 1}`;
}

function readMessage(
  message: JsonObject,
  entry: Entry,
  at: {
    readonly recorder: SessionRecorder;
    readonly call: JsonObject | undefined;
    readonly tools: readonly ToolDefinition[];
  },
): void {
  const { recorder, call, tools } = at;
  const error = objectOf(message['error'])['message'];
  const content = message['role'] === 'tool' && plainText(message['content']) === '' ? error : message['content'];
  const read = readChatMessage({ ...message, content, name: message['function'] });
  const response = recorder.record(entry, read, { tools });
  if (response === undefined) return;
  for (const part of listOf(message['content']).map(objectOf)) {
    if (part['type'] !== 'reasoning') continue;
    const thinking = textOf(part['reasoning']) ?? '';
    const signature = textOf(part['signature']);
    if (signature === undefined) response.add({ type: 'reasoning-text', text: thinking });
    else response.add({ type: 'thinking', block: { type: 'thinking', thinking, signature } });
  }
  response.count(entry, message['model'] ?? call?.['model'], usageOfCall(call));
}

/** For some providers, `input_tokens` includes the cached tokens; for others it does not. The total shows which. */
function usageOfCall(call: JsonObject | undefined): Usage | undefined {
  const counts = objectOf(objectOf(call?.['output'])['usage']);
  const number = (key: string): number => numberOf(counts[key]) ?? 0;
  const [read, written] = [number('input_tokens_cache_read'), number('input_tokens_cache_write')];
  const includesCached = number('input_tokens') + number('output_tokens') === number('total_tokens');
  return anthropicUsage({
    input_tokens: includesCached ? number('input_tokens') - read - written : number('input_tokens'),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: number('output_tokens'),
    output_tokens_details: { thinking_tokens: counts['reasoning_tokens'] },
  })?.usage;
}

function modelEvents(sample: JsonObject): readonly unknown[] {
  return listOf(sample['events'])
    .map(objectOf)
    .filter((event) => event['event'] === 'model')
    .map(({ timestamp, tools, model, output }) => ({
      timestamp,
      tools,
      model,
      output: { usage: objectOf(output)['usage'] },
    }));
}

function withAttachments(value: unknown, attachments: JsonObject): unknown {
  if (typeof value === 'string') {
    return value.startsWith(attachmentPrefix) ? (attachments[value.slice(attachmentPrefix.length)] ?? value) : value;
  }
  if (Array.isArray(value)) return value.map((item) => withAttachments(item, attachments));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withAttachments(item, attachments)]));
}
