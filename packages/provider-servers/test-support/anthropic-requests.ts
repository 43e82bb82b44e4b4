// Raw bodies in parts, written by hand: no converter of ours has touched them. For the tests of this folder.

/** Requests that the provider takes, and requests that it refuses: the rule, the place, what it is, the body. */
export interface RequestExamples {
  readonly taken: readonly (readonly [what: string, body: unknown])[];
  readonly refused: readonly (readonly [rule: string, path: string, what: string, body: unknown])[];
}

export const tools = [{ name: 'run', input_schema: { type: 'object' } }];
export const body = (messages: unknown, fields: object = {}) => ({
  model: 'claude-opus-5-5',
  max_tokens: 1_000,
  tools,
  messages,
  ...fields,
});
export const user = (...content: unknown[]) => ({ role: 'user', content });
export const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
export const system = (...content: unknown[]) => ({ role: 'system', content });
export const settings = (...content: unknown[]) => ({ role: 'system', content, output_config: { effort: 'medium' } });
export const text = (words: string) => ({ type: 'text', text: words });
export const call = (id: string, fields: object = {}) => ({ type: 'tool_use', id, name: 'run', input: {}, ...fields });
export const result = (id: string, fields: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'ok',
  ...fields,
});
export const thinking = { type: 'thinking', thinking: '', signature: 'abc' };
export const redacted = { type: 'redacted_thinking', data: 'abc' };
export const image = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } };
export const images = (count: number) => Array.from({ length: count }, () => image);
export const short = { cache_control: { type: 'ephemeral' } };
export const long = { cache_control: { type: 'ephemeral', ttl: '1h' } };
export const marked = (words: string, control: object = short) => ({ ...text(words), ...control });
export const manual = {
  model: 'claude-sonnet-4-5',
  thinking: { type: 'enabled', budget_tokens: 1_024 },
  max_tokens: 2_000,
};
export const binding = { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } };
export const schema = (...keys: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(keys.map((key) => [key, { type: 'string' }])),
});
export const ask = user(text('Go.'));
