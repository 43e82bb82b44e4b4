import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import type { BaseMessage } from '@langchain/core/messages';

export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** Tool steps as `createAgent` adds them to its messages. Every third step has two calls, every fourth result has failed. */
export function toolSteps(from: number, to: number): BaseMessage[] {
  const messages: BaseMessage[] = [];
  for (let step = from; step < to; step++) {
    const calls = Array.from({ length: step % 3 === 2 ? 2 : 1 }, (_, index) => ({
      type: 'tool_call' as const,
      id: `call_${step}_${index}`,
      name: 'read',
      args: { path: `src/file-${step}-${index}.ts` },
    }));
    messages.push(
      new AIMessage({ id: `ai-${step}`, content: step % 2 === 0 ? `Step ${step}.` : '', tool_calls: calls }),
    );
    for (const { id } of calls) {
      messages.push(
        new ToolMessage({
          id: `result-${id}`,
          tool_call_id: id,
          name: 'read',
          content: step % 4 === 3 ? `No file ${id}.` : `Content of ${id}: ${'word '.repeat(20)}`,
          status: step % 4 === 3 ? 'error' : 'success',
          artifact: { bytes: 100 },
        }),
      );
    }
  }
  return messages;
}

export function plainConversation(): BaseMessage[] {
  return [
    new HumanMessage({ id: 'question', content: 'Read all the files.' }),
    ...toolSteps(0, 14),
    new AIMessage('Read.'),
  ];
}

/** Images in all forms, thinking, answers of three APIs, a tool of the provider, a result with parts, messages in the middle. */
export function richConversation(): BaseMessage[] {
  const cached = { type: 'text', text: 'What is in this picture?', cache_control: { type: 'ephemeral' } };
  const dataUrl = `data:image/png;base64,${pixel}`;
  return [
    new SystemMessage('You are a careful assistant.'),
    new HumanMessage({
      name: 'ann',
      content: [
        cached,
        { type: 'image_url', image_url: { url: dataUrl, detail: 'low' } },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        { type: 'image', mimeType: 'image/png', data: pixel },
        { type: 'image', url: 'https://example.com/a.png' },
        { type: 'file', mimeType: 'application/pdf', data: 'JVBERg==' },
      ],
    }),
    new AIMessage({
      content: [
        { type: 'thinking', thinking: 'A pixel.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'cmVk' },
        { type: 'text', text: 'A pixel.' },
      ],
      response_metadata: { model_provider: 'anthropic' },
    }),
    new HumanMessage('Now read the files.'),
    ...toolSteps(0, 5),
    new AIMessage({
      content: [
        { type: 'thinking', thinking: 'Both.', signature: 'c2ln' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'shot', name: 'screenshot', input: {} },
        { type: 'tool_use', id: 'list', name: 'list', input: '', index: 3 },
        { type: 'input_json_delta', index: 3, input: '{"path":"."}' },
      ],
      tool_calls: [
        { type: 'tool_call', id: 'shot', name: 'screenshot', args: {} },
        { type: 'tool_call', id: 'list', name: 'list', args: { path: '.' } },
      ],
    }),
    new ToolMessage({
      tool_call_id: 'shot',
      content: [
        { type: 'text', text: 'The screen.' },
        { type: 'image_url', image_url: { url: dataUrl } },
      ],
    }),
    new ToolMessage({ tool_call_id: 'list', content: '["a.ts","b.ts"]' }),
    new AIMessage({
      id: 'msg_1',
      content: [{ type: 'text', text: 'I search.', annotations: [] }],
      tool_calls: [{ type: 'tool_call', id: 'call_r', name: 'read', args: { path: 'r.ts' } }],
      additional_kwargs: {
        reasoning: { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Search.' }] },
        __openai_function_call_ids__: { call_r: 'fc_1' },
      },
      response_metadata: {
        model_provider: 'openai',
        output: [
          { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Search.' }] },
          { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'pixels' } },
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'I search.', annotations: [] }],
          },
          { type: 'function_call', id: 'fc_1', call_id: 'call_r', name: 'read', arguments: '{"path":"r.ts"}' },
        ],
      },
    }),
    new ToolMessage({ tool_call_id: 'call_r', content: [{ type: 'input_text', text: 'r' }] as never }),
    new AIMessage({
      content: '',
      additional_kwargs: { reasoning_content: 'Raw calls.' },
      tool_calls: [{ type: 'tool_call', id: 'raw', name: 'read', args: { path: 'x.ts' } }],
      invalid_tool_calls: [],
    }),
    new ToolMessage({ tool_call_id: 'raw', content: 'x' }),
    new SystemMessage('Be brief from now on.'),
    ...toolSteps(5, 9),
    new AIMessage('All is read.'),
    new HumanMessage('Thanks. What was the first file?'),
  ];
}
