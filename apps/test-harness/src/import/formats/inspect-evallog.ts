import { contentParts } from '../content-parts.js';
import { isObject, listOf, numberOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import { SessionRecorder } from '../session-recorder.js';
import type { Entry } from '../session-recorder.js';
import { toolDefinitions } from '../tool-definitions.js';
import { usage as usageOf } from '../usage-of.js';

const attachmentPrefix = 'attachment://';

/** Evaluation logs of Inspect as JSON: a session per sample. Long texts stand apart and are put back in their places. */
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
    const tools = toolDefinitions(calls[0]?.['tools']);
    const messages = listOf(resolved['messages']).map(objectOf);
    if (tools.length > 0 && messages[0]?.['role'] !== 'system') recorder.systemPrompt({ id: 'tools' }, '', tools);
    let replies = 0;
    for (const [position, message] of messages.entries()) {
      const call = message['role'] === 'assistant' && message['source'] !== 'input' ? calls[replies++] : undefined;
      readMessage(
        message,
        { id: textOf(message['id']) ?? `message-${position}`, timestamp: call?.['timestamp'] },
        { recorder, source, call, tools },
      );
    }
    const name = samples.length === 1 ? source.name : `${source.name}#${sampleName(sample, index)}`;
    yield { name, events: recorder.finish() };
  }
}

/** A sample is run in several epochs. */
function sampleName(sample: JsonObject, index: number): string {
  const id = numberOf(sample['id']) ?? textOf(sample['id']) ?? index + 1;
  return `${id}.${numberOf(sample['epoch']) ?? 1}`;
}

function readMessage(
  message: JsonObject,
  entry: Entry,
  at: {
    readonly recorder: SessionRecorder;
    readonly source: LogSource;
    readonly call: JsonObject | undefined;
    readonly tools: ReturnType<typeof toolDefinitions>;
  },
): void {
  const { recorder, source } = at;
  const parts = listOf(message['content']).map(objectOf);
  const words = Array.isArray(message['content'])
    ? message['content'].filter((part) => objectOf(part)['type'] !== 'reasoning')
    : message['content'];
  const content = contentParts(words, (type) =>
    source.notes.add('unsupported-content', `a part of type '${type}' was kept as text`),
  );
  switch (message['role']) {
    case 'system':
      recorder.instructions(entry, content, at.tools);
      return;
    case 'user':
      recorder.message(entry, content, 'user');
      return;
    case 'tool':
      recorder.result(entry, {
        callId: textOf(message['tool_call_id']),
        toolName: textOf(message['function']),
        content: content.length > 0 ? content : contentParts(objectOf(message['error'])['message'], () => undefined),
        isError: isObject(message['error']),
      });
      return;
    case 'assistant': {
      const response = recorder.response(entry);
      response.thought.push(...content);
      for (const part of parts) {
        if (part['type'] !== 'reasoning') continue;
        const thinking = textOf(part['reasoning']) ?? '';
        const signature = textOf(part['signature']);
        if (signature === undefined) response.reasoningContent += thinking;
        else response.addThinking({ type: 'thinking', thinking, signature });
      }
      for (const [index, toolCall] of listOf(message['tool_calls']).map(objectOf).entries()) {
        recorder.call(response, entry, {
          id: textOf(toolCall['id']) ?? `call-of-${entry.id}-${index}`,
          name: textOf(toolCall['function']) ?? 'unknown',
          input: toolCall['arguments'],
        });
      }
      const usage = usageOfCall(at.call);
      const model = textOf(message['model']) ?? textOf(at.call?.['model']) ?? 'unknown';
      if (usage !== undefined) response.usage = { entry, model, usage };
      return;
    }
    default:
      source.notes.add(
        'unknown-line-type',
        `messages of role '${String(message['role'])}' are not known and were left out`,
      );
  }
}

/** Inspect counts the cached tokens beside `input_tokens` for some providers and inside them for others: the total tells which. */
function usageOfCall(call: JsonObject | undefined): ReturnType<typeof usageOf> {
  const counts = objectOf(objectOf(call?.['output'])['usage']);
  const number = (key: string): number => numberOf(counts[key]) ?? 0;
  const cached = number('input_tokens_cache_read') + number('input_tokens_cache_write');
  const includesCached = number('input_tokens') + number('output_tokens') === number('total_tokens');
  return usageOf({
    uncached: includesCached ? number('input_tokens') - cached : number('input_tokens'),
    cacheRead: number('input_tokens_cache_read'),
    cacheWrite: number('input_tokens_cache_write'),
    output: number('output_tokens'),
    reasoning: counts['reasoning_tokens'],
  });
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
