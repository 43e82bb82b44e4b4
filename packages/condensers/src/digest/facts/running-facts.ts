import { wordsOfName } from '../../authoring/calls/arguments.js';
import type { CallArguments } from '../../authoring/calls/arguments.js';
import type { Fact } from './fact.js';

/** So many ids of what runs a summary names, the newest. */
export const mostRunning = 10;

/** Runtimes write at the beginning and at the end of a result; what stands between is the program's. Unit: characters. */
const edge = 500;

/**
 * The forms in which runtimes announce what goes on without the call: a session, a command in the background, a
 * terminal, an agent.
 */
const announcements: readonly RegExp[] = [
  /\brunning\b[^\n]{0,40}?\bID\b[ :=]*([\w-]{1,80})/g,
  /\bwith (?:shellId|id): ([\w.-]{1,80}?)(?=>| is still running\b| is running in\b| moved to )/g,
  /\bagent launched\b[^]{0,300}?\bagentId: ([\w-]{1,80})/g,
];

const endMark = new RegExp(
  [
    String.raw`\bexited with (?:exit )?code\b`,
    String.raw`\bcompleted with exit code\b`,
    String.raw`<status>\s*(?:completed|failed|killed|stopped|cancell?ed|error)\b`,
    String.raw`<exit_code>`,
    String.raw`\b(?:unknown|no) (?:process|session|shell|task|terminal|agent)\b`,
    String.raw`\b(?:not|no longer) running\b`,
  ].join('|'),
  'i',
);

const endingVerbs = new Set(['kill', 'stop', 'close', 'terminate', 'cancel']);
const plainId = /^[\w.-]{1,80}$/;

/** Returns the processes that a call starts and leaves running, and those of its arguments that it ends. */
export function readRunning(
  text: string,
  of: {
    readonly of: string;
    readonly name: string;
    readonly call: CallArguments;
    readonly isRunning: (id: string) => boolean;
  },
): readonly Fact[] {
  const edges = text.length <= 2 * edge ? text : `${text.slice(0, edge)}\n${text.slice(-edge)}`;
  const announced = new Set(announcements.flatMap((one) => [...edges.matchAll(one)].map(([, id = '']) => id)));
  const facts = [...announced].map((id): Fact => ({ kind: 'running', id, of: of.of }));
  const ends = endMark.test(edges) || wordsOfName(of.name).some((word) => endingVerbs.has(word));
  if (!ends) return facts;
  const named = of.call.leaves.map(({ value }) => String(value)).filter((value) => plainId.test(value));
  const ended = named.filter((id) => !announced.has(id) && of.isRunning(id));
  return [...facts, ...ended.map((id): Fact => ({ kind: 'running', id, of: '', isEnded: true }))];
}

/** Returns the ids of what a notice of the runtime says has ended. */
export function endedInNotice(text: string, isRunning: (id: string) => boolean): readonly string[] {
  const notice = text.slice(0, 20_000);
  return notice.split(/(?=<(?:task|shell|bash|agent)[-_]?id>)/i).flatMap((part) => {
    const id = /^<[^>]*>\s*([\w.-]{1,80})\s*</.exec(part)?.[1];
    return id !== undefined && endMark.test(part) && isRunning(id) ? [id] : [];
  });
}
