import { readFileSync } from 'node:fs';
import type { Message, ToolMessage } from '@palimpsest/events';
import type { JsonObject } from '@palimpsest/provider-servers';
import { nextTurn, stepLabel } from '../src/demo/offline-model.js';
import type { Plan } from '../src/demo/offline-model.js';
import type { Turn } from './scripted-model.js';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
  readonly is_error?: boolean;
}

const file = new URL('../sample-project-plan.json', import.meta.url);
const plan = JSON.parse(readFileSync(file, 'utf8')) as Plan;

/**
 * Returns the model of the demo for a server: it follows the plan of the demo by what it is sent, and says no name of a
 * step.
 */
export function demoModel(): (request: JsonObject) => Turn {
  const steps = new Map<string, string>();
  return (request) => {
    const messages = messagesOf(request, steps);
    const turn = nextTurn(plan, messages);
    if (turn === undefined) return { text: 'Nothing is left to do.' };
    steps.set(turn.say, stepLabel(turn.step, turn.isReadingAgain));
    return { text: turn.say, calls: turn.calls.map(({ tool, input }) => ({ name: tool, input })) };
  };
}

/** What the request holds, with the names of the steps behind the model's own words. */
function messagesOf({ messages }: JsonObject, steps: ReadonlyMap<string, string>): readonly Message[] {
  const names = new Map<string, string>();
  return (messages as readonly { readonly role: string; readonly content: string | readonly Block[] }[]).flatMap(
    ({ role, content }): readonly Message[] => {
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      const text = textOf(blocks);
      if (role !== 'assistant') {
        const words: Message = { role: 'user', content: [{ type: 'text', text }] };
        return [...blocks.flatMap((block) => resultOf(block, names)), ...(text === '' ? [] : [words])];
      }
      const calls = blocks.filter(({ type }) => type === 'tool_use');
      for (const { id = '', name = '' } of calls) names.set(id, name);
      return [
        {
          role: 'assistant',
          content: [{ type: 'text', text: `${text} ${steps.get(text) ?? ''}`.trimEnd() }],
          toolCalls: calls.map(({ id = '', name = '', input }) => ({ id, name, arguments: JSON.stringify(input) })),
        },
      ];
    },
  );
}

function resultOf(block: Block, names: ReadonlyMap<string, string>): readonly ToolMessage[] {
  if (block.type !== 'tool_result') return [];
  const { tool_use_id: id = '', content = '', is_error: isError } = block;
  const text = typeof content === 'string' ? content : textOf(content);
  return [
    {
      role: 'tool',
      toolCallId: id,
      toolName: names.get(id) ?? '',
      content: [{ type: 'text', text }],
      ...(isError === true ? { isError } : {}),
    },
  ];
}

function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : [])).join('\n');
}
