import type { ToolDefinition } from '@palimpsest/events';

/** What a model reads that cannot be given tools in any other way: how it calls them, and which there are. */
export function instructionsFor(tools: readonly ToolDefinition[]): string {
  const described = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify({ name, description, parameters: inputSchema }),
  );
  return `# Tools

You have the tools below. To call one, write a block of exactly this form:

<tool_call>
{"name": "the tool's name", "arguments": {"a parameter": "its value"}}
</tool_call>

Between the two tags stands one JSON object and nothing else: line breaks inside a text are written as \\n. Several blocks in one answer are several calls. After your last block, stop: the results come in the next message, in <tool_result> blocks. Never write a <tool_result> block yourself.

<tools>
${described.join('\n')}
</tools>`;
}

/** What is asked of a model that must call a tool now, that one, or none. */
export function demandFor(choice: 'none' | 'required' | { readonly tool: string }): string {
  if (choice === 'none') return '(Answer without a tool call.)';
  if (choice === 'required') return '(Call a tool now.)';
  return `(Call the tool '${choice.tool}' now.)`;
}
