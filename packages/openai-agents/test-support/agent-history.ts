import type { AgentItem } from '../src/agent-item.js';

export const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** Tool steps as a session stores them. Every third step has two calls. */
export function agentSteps(from: number, to: number, words = 20): AgentItem[] {
  const items: AgentItem[] = [];
  for (let step = from; step < to; step++) {
    const ids = Array.from({ length: step % 3 === 2 ? 2 : 1 }, (_, index) => `call_${step}_${index}`);
    items.push({
      type: 'reasoning',
      id: `rs_${step}`,
      content: [{ type: 'input_text', text: `Thought ${step}.`, providerData: { type: 'summary_text' } }],
      providerData: { id: `rs_${step}`, type: 'reasoning', encrypted_content: `sealed-${step}` },
    });
    if (step % 2 === 0) {
      const content = [{ type: 'output_text', text: `Step ${step}.`, providerData: { annotations: [] } }];
      items.push({ type: 'message', id: `msg_${step}`, role: 'assistant', status: 'completed', content });
    }
    for (const callId of ids) {
      const input = JSON.stringify({ path: `src/${callId}.ts` });
      const data = { id: `fc_${callId}`, type: 'function_call' };
      items.push({
        type: 'function_call',
        id: `fc_${callId}`,
        callId,
        name: 'read',
        arguments: input,
        status: 'completed',
        providerData: data,
      });
    }
    for (const callId of ids) {
      const text =
        step % 4 === 3 ? 'An error occurred while running the tool.' : `Content of ${callId}: ${'word '.repeat(words)}`;
      items.push({
        type: 'function_call_result',
        callId,
        name: 'read',
        status: 'completed',
        output: { type: 'text', text },
      });
    }
  }
  return items;
}

export function plainHistory(steps = 14): AgentItem[] {
  return [{ role: 'user', content: 'Read all the files and say what they do.' }, ...agentSteps(0, steps)];
}

/** Images, files, audio, outputs in all forms, hosted tools, an approval and its answer, a handoff, a search for tools, unknown items. */
export function richHistory(): AgentItem[] {
  const call = (callId: string, name: string, more: object = {}) => ({
    type: 'function_call',
    callId,
    name,
    arguments: '{"a":1}',
    status: 'completed',
    ...more,
  });
  const result = (callId: string, name: string, output: unknown, more: object = {}) => ({
    type: 'function_call_result',
    callId,
    name,
    status: 'completed',
    output,
    ...more,
  });
  const program = { caller: { type: 'program', callerId: 'prog_1' } };
  return [
    { role: 'system', content: 'You are a careful assistant.' },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is in these?', promptCacheBreakpoint: { mode: 'explicit' } },
        { type: 'input_image', image: pixel, detail: 'low' },
        { type: 'input_image', image: { id: 'file_1' } },
        { type: 'input_file', file: { url: 'https://example.com/paper.pdf' }, filename: 'paper.pdf' },
        { type: 'audio', audio: 'UklGRg==', format: 'wav', transcript: 'Hello.' },
      ],
    },
    {
      type: 'hosted_tool_call',
      id: 'ws_1',
      name: 'web_search_call',
      status: 'completed',
      providerData: { id: 'ws_1', type: 'web_search_call', action: { type: 'search', query: 'pixel' } },
    },
    {
      type: 'hosted_tool_call',
      id: 'mcpr_1',
      name: 'mcp_approval_request',
      status: 'completed',
      providerData: { id: 'mcpr_1', type: 'mcp_approval_request', name: 'look', arguments: '{}', server_label: 'eyes' },
    },
    {
      type: 'hosted_tool_call',
      name: 'mcp_approval_response',
      providerData: { type: 'mcp_approval_response', approve: true, approval_request_id: 'mcpr_1' },
    },
    { role: 'user', content: 'Now read the files.' },
    ...agentSteps(0, 4),
    call('call_handoff', 'transfer_to_Reviewer', { arguments: '{}' }),
    result('call_handoff', 'transfer_to_Reviewer', { type: 'text', text: '{"assistant":"Reviewer"}' }),
    { type: 'reasoning', id: 'rs_x', content: [], rawContent: [{ type: 'reasoning_text', text: 'Look at it.' }] },
    { type: 'unknown', providerData: { type: 'something_new', id: 'new_1' } },
    call('call_list', 'list'),
    call('call_image', 'look'),
    result('call_list', 'list', 'a.ts'),
    result('call_image', 'look', [
      { type: 'input_text', text: 'A picture:' },
      { type: 'input_image', image: pixel, detail: 'auto' },
    ]),
    call('call_shot', 'look'),
    result('call_shot', 'look', { type: 'image', image: { url: 'https://example.com/a.png' } }),
    { type: 'program', id: 'prog', callId: 'prog_1', code: 'await read()', fingerprint: 'f' },
    call('call_inner', 'read', program),
    result('call_inner', 'read', 'inner', program),
    { type: 'program_output', callId: 'prog_1', output: 'done', status: 'completed' },
    ...agentSteps(4, 9),
    { role: 'user', content: 'Thanks.' },
  ];
}

/** Tools whose calls have types of their own: their arguments and screenshots cannot be masked. */
export function ownToolHistory(): AgentItem[] {
  const steps = Array.from({ length: 8 }, (_, step) => [
    { type: 'reasoning', id: `rs_c${step}`, content: [] },
    {
      type: 'computer_call',
      id: `cu_${step}`,
      callId: `shot_${step}`,
      status: 'completed',
      action: { type: 'screenshot' },
    },
    {
      type: 'shell_call',
      id: `sh_${step}`,
      callId: `shell_${step}`,
      action: { commands: ['ls'] },
      status: 'completed',
    },
    { type: 'computer_call_result', callId: `shot_${step}`, output: { type: 'computer_screenshot', data: pixel } },
    {
      type: 'shell_call_output',
      callId: `shell_${step}`,
      output: [{ stdout: `file-${step} `.repeat(100), stderr: 'a warning', outcome: { type: 'exit', exitCode: 0 } }],
    },
    {
      type: 'apply_patch_call',
      callId: `patch_${step}`,
      status: 'completed',
      operation: { type: 'delete_file', path: `${step}.ts` },
    },
    {
      type: 'apply_patch_call_output',
      callId: `patch_${step}`,
      status: 'completed',
      output: `Deleted ${step}.ts `.repeat(100),
    },
  ]);
  return [{ role: 'user', content: 'Clean up.' }, ...steps.flat()];
}
