import type OpenAI from 'openai';

export type ResponsesItem = OpenAI.Responses.ResponseInputItem;

/** Returns a history of tool steps, as a loop on the Responses API holds it: reasoning, words, calls, outputs. */
export function responsesHistory(steps: number, words = 60): ResponsesItem[] {
  const items: ResponsesItem[] = [{ role: 'user', content: 'Read all the files and say what they do.' }];
  for (let step = 0; step < steps; step++) addResponsesStep(items, step, words);
  return items;
}

export function addResponsesStep(items: ResponsesItem[], step: number, words = 60): void {
  const ids = Array.from({ length: step % 3 === 2 ? 2 : 1 }, (_, index) => `call_${step}_${index}`);
  items.push({ type: 'reasoning', id: `rs_${step}`, summary: [], encrypted_content: `sealed-${step}` });
  if (step % 2 === 0) {
    const content: OpenAI.Responses.ResponseOutputText[] = [
      { type: 'output_text', text: `Step ${step}.`, annotations: [] },
    ];
    items.push({ type: 'message', id: `msg_${step}`, role: 'assistant', status: 'completed', content });
  }
  for (const id of ids) {
    const input = JSON.stringify({ path: `src/${id}.ts` });
    items.push({
      type: 'function_call',
      id: `fc${id}`,
      call_id: id,
      name: 'read',
      arguments: input,
      status: 'completed',
    });
  }
  for (const id of ids) {
    items.push({ type: 'function_call_output', call_id: id, output: `Content of ${id}: ${'word '.repeat(words)}` });
  }
}

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** Images, custom tools, a search of the provider, an approval and its answer, words of a developer. */
export function richResponsesHistory(): ResponsesItem[] {
  const items: ResponsesItem[] = [
    { role: 'developer', content: 'You are a careful assistant.' },
    { role: 'user', content: '<environment_context><cwd>/project</cwd></environment_context>' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is in this picture?' },
        { type: 'input_image', image_url: pixel, detail: 'low' },
      ],
    },
    {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'pixel' },
    },
    { type: 'mcp_approval_request', id: 'mcpr_1', name: 'look', arguments: '{}', server_label: 'eyes' },
    { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
    { role: 'user', content: 'Now read the files.' },
  ];
  for (let step = 0; step < 9; step++) {
    addResponsesStep(items, step, 10);
    if (step === 3) {
      items.push({ type: 'custom_tool_call', call_id: 'call_custom', name: 'apply_patch', input: '*** Begin' });
      items.push({ type: 'custom_tool_call_output', call_id: 'call_custom', output: 'Done.' });
    }
    if (step === 5) {
      const output = [
        { type: 'input_text', text: 'A picture:' } as const,
        { type: 'input_image', image_url: pixel, detail: 'auto' } as const,
      ];
      items.push({ type: 'function_call', call_id: 'call_image', name: 'look', arguments: '{}' });
      items.push({ type: 'function_call_output', call_id: 'call_image', output: [...output] });
    }
  }
  items.push({ role: 'user', content: 'Thanks.' });
  return items;
}
