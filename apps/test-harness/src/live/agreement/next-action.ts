import type { Event, ToolCall, ToolDefinition } from '@palimpsest/events';
import { objectOf } from '../../import/log/json.js';
import type { RecordedSession } from '../../measure/recorded-session.js';

/** The next action of an agent: which tool, on what. */
export interface NextAction {
  readonly tool: string;
  /** A path, a command, a place to look; all arguments, if none of them says it. */
  readonly target: string;
}

/** The arguments that say on what a tool works, the most telling first. */
const targetKeys = [
  'file_path',
  'absolute_path',
  'filePath',
  'path',
  'notebook_path',
  'command',
  'cmd',
  'url',
  'pattern',
  'query',
];

/** Returns the action of a call. White space does not count. */
export function actionOf({ name, arguments: json }: Pick<ToolCall, 'name' | 'arguments'>): NextAction {
  const input = parsed(json);
  const key = targetKeys.find((each) => each in input);
  const target = key === undefined ? json : input[key];
  return {
    tool: name,
    target: (typeof target === 'string' ? target : JSON.stringify(target)).replace(/\s+/g, ' ').trim(),
  };
}

/** Returns the actions of the recorded answer to a model call. Several are possible: an agent may act in parallel. */
export function recordedActions({ events, stepOf }: RecordedSession, call: number): readonly NextAction[] {
  return events.flatMap((event, index) =>
    stepOf[index] === call && event.type === 'action' ? [actionOf(event.toolCall)] : [],
  );
}

/** Returns the tools of a session: those that its log defines, or those that were called, with the arguments that they had. */
export function toolsOf(events: readonly Event[]): readonly ToolDefinition[] {
  const defined = events.flatMap((event) => (event.type === 'system-prompt' ? (event.tools ?? []) : []));
  if (defined.length > 0) return defined;
  const properties = new Map<string, Record<string, object>>();
  for (const event of events) {
    if (event.type !== 'action') continue;
    const known = properties.get(event.toolCall.name) ?? {};
    for (const [key, value] of Object.entries(parsed(event.toolCall.arguments))) known[key] ??= schemaOf(value);
    properties.set(event.toolCall.name, known);
  }
  return [...properties].map(([name, known]) => ({
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: 'object', properties: known },
  }));
}

function schemaOf(value: unknown): object {
  if (Array.isArray(value)) return { type: 'array', items: {} };
  return { type: value === null ? 'string' : typeof value };
}

function parsed(json: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(JSON.parse(json));
  } catch {
    return {};
  }
}
