import { wordsOfName } from '../../authoring/calls/arguments.js';
import { oneLine } from '../../authoring/calls/excerpt.js';
import type { Fact, TaskItem } from './fact.js';

const titleKeys = ['content', 'title', 'subject', 'step', 'text', 'task', 'name', 'description'];
const statusWords = new Set(['status', 'state', 'done', 'completed', 'checked']);
const taskWords = new Set(['task', 'tasks', 'todo', 'todos', 'plan', 'plans', 'checklist', 'ticket', 'tickets']);
const openingVerbs = new Set(['create', 'add', 'new']);
const closingVerbs = new Set(['complete', 'finish', 'close', 'done', 'delete', 'remove']);
const closedStatuses = new Set([
  'completed',
  'complete',
  'done',
  'finished',
  'closed',
  'resolved',
  'cancelled',
  'canceled',
  'deleted',
  'skipped',
]);
const maximumTasks = 100;

/**
 * Returns the effect of a call on a list of tasks: it wrote the whole list, or added or changed one task. Empty if it
 * did neither.
 */
export function taskFacts(call: {
  readonly toolName: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly body: string;
}): readonly Fact[] {
  for (const value of Object.values(call.arguments)) {
    const tasks = taskList(value);
    if (tasks !== undefined) return [{ kind: 'task-list', list: call.toolName, tasks }];
  }
  const task = singleTask(call);
  return task === undefined ? [] : [{ kind: 'task', task }];
}

/** Returns true for an open task. */
export function isOpen({ status }: TaskItem): boolean {
  return !closedStatuses.has((status ?? '').toLowerCase());
}

function taskList(value: unknown): readonly TaskItem[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const tasks = value.slice(0, maximumTasks).map(taskOf);
  return tasks.every((task) => task?.status !== undefined && task.title !== undefined)
    ? (tasks as TaskItem[])
    : undefined;
}

function taskOf(value: unknown): TaskItem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const title = titleKeys.map((key) => fields[key]).find((text) => typeof text === 'string' && text.trim() !== '');
  const id = textOrNumber(fields['id']);
  const status = statusOf(fields);
  return {
    ...(id === undefined ? {} : { id }),
    ...(typeof title === 'string' ? { title: oneLine(title, 200) } : {}),
    ...(status === undefined ? {} : { status }),
  };
}

function singleTask(call: {
  readonly toolName: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly body: string;
}): TaskItem | undefined {
  const words = wordsOfName(call.toolName);
  // A task for another agent has a prompt; it is an ordinary call.
  if (!words.some((word) => taskWords.has(word)) || 'prompt' in call.arguments) return undefined;
  const { id: _id, ...fields } = taskOf(call.arguments) ?? {};
  const id = Object.entries(call.arguments).find(([key]) => wordsOfName(key).at(-1) === 'id')?.[1];
  const known = textOrNumber(id);
  if (known !== undefined) {
    const closes = words.find((word) => closingVerbs.has(word));
    return { id: known, ...fields, ...(fields.status === undefined && closes !== undefined ? { status: 'done' } : {}) };
  }
  if (fields.title === undefined || !words.some((word) => openingVerbs.has(word))) return undefined;
  const given = /#(\d+)\b|\bid["']?\s*[:=]\s*["']?([\w-]+)/i.exec(call.body.slice(0, 300));
  const newId = given?.[1] ?? given?.[2];
  return { ...(newId === undefined ? {} : { id: newId }), status: 'pending', ...fields };
}

function statusOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  for (const [key, value] of Object.entries(fields)) {
    if (!statusWords.has(wordsOfName(key).at(-1) ?? '')) continue;
    if (typeof value === 'string') return oneLine(value, 40);
    if (typeof value === 'boolean') return value ? 'done' : 'pending';
  }
  return undefined;
}

function textOrNumber(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? oneLine(String(value), 80) : undefined;
}
