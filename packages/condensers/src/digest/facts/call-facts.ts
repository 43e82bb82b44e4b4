import { addressOf } from '@palimpsest/events';
import type { ActionEvent, ToolResultEvent } from '@palimpsest/events';
import { argumentRoles, parseArguments, wordsOfName } from '../../authoring/calls/arguments.js';
import type { ArgumentRoles, CallArguments } from '../../authoring/calls/arguments.js';
import { excerpt, oneLine, textOfEvent } from '../../authoring/calls/excerpt.js';
import { isFailedStatus, readResult } from '../../authoring/calls/result.js';
import type { ResultReading } from '../../authoring/calls/result.js';
import type { Fact } from './fact.js';
import { fileFacts } from './file-facts.js';
import { answeredIdentifiers, usedIdentifiers } from './identifiers.js';
import { readRunning } from './running-facts.js';
import { onlyLooks, shellFileFacts, writesBeforeFailure } from './shell-files.js';
import { taskFacts } from './task-facts.js';
import { readTestResults } from './test-results.js';

const commandLimit = 300;
const callLimit = 240;
const errorLimit = 240;
const runningLimit = 120;
/** A shorter result says hardly more than its entry. Unit: characters. */
const worthRecalling = 400;
const lookingVerbs = new Set([
  ...[
    'get',
    'read',
    'view',
    'list',
    'search',
    'find',
    'grep',
    'glob',
    'check',
    'query',
    'lookup',
    'look',
    'show',
    'describe',
  ],
  ...['fetch', 'status', 'info', 'calculate', 'count', 'browse', 'visit', 'open', 'scroll', 'goto'],
]);
const errorWords =
  /error|exception|fail|fatal|cannot|denied|not found|no such|undefined|panic|invalid|refused|timed out|does not exist/i;
const thinkingVerbs = new Set(['think', 'thinking', 'thought', 'reflect']);
const askingVerbs = new Set(['ask', 'question', 'questions', 'clarify']);

/** The state before a call: files that were seen, tests that fail, ids of what runs. */
export interface KnownBefore {
  knowsFile(path: string): boolean;
  isFailing(test: string): boolean;
  isRunning(id: string): boolean;
}

/** The facts of a call, the call itself, and the questions about the state before it on which the facts depend. */
interface ReadCall {
  readonly action: ActionEvent;
  readonly facts: readonly Fact[];
  readonly asked: readonly { readonly of: keyof KnownBefore; readonly name: string; readonly answer: boolean }[];
}

/** A cache: the text of a call and its result is read once, because it never changes. */
const read = new WeakMap<ToolResultEvent, ReadCall>();

/**
 * Returns the facts of one answered call, derived from the call and its result, for tools of any name. The call is read
 * again only if the state before it differs in something that its facts depend on.
 */
export function callFacts(action: ActionEvent, result: ToolResultEvent, known: KnownBefore): readonly Fact[] {
  const before = read.get(result);
  if (before?.action === action && before.asked.every(({ of, name, answer }) => known[of](name) === answer)) {
    return before.facts;
  }
  const asked: { readonly of: keyof KnownBefore; readonly name: string; readonly answer: boolean }[] = [];
  const ask = (of: keyof KnownBefore, name: string): boolean => {
    const answer = known[of](name);
    asked.push({ of, name, answer });
    return answer;
  };
  const facts = factsOf(action, result, {
    knowsFile: (path) => ask('knowsFile', path),
    isFailing: (test) => ask('isFailing', test),
    isRunning: (id) => ask('isRunning', id),
  });
  read.set(result, { action, facts, asked });
  return facts;
}

/** The state at the beginning of a log. */
export const nothingKnown: KnownBefore = {
  knowsFile: () => false,
  isFailing: () => false,
  isRunning: () => false,
};

/** Returns true if the facts of a result were read before. */
export function isRead(result: ToolResultEvent): boolean {
  return read.has(result);
}

function factsOf(action: ActionEvent, result: ToolResultEvent, known: KnownBefore): readonly Fact[] {
  const call = parseArguments(action.toolCall.arguments);
  const roles = argumentRoles(call);
  const reading = readResult(result, { isCommand: roles.command !== undefined });
  const done = { action, result, call, roles, reading, known };
  const facts = roles.command === undefined ? otherFacts(done) : commandFacts(done, roles.command);
  return [...facts, ...runningFacts(done)];
}

function runningFacts({ action, result, call, roles, known }: AnsweredCall): readonly Fact[] {
  const isRead = roles.command === undefined && (roles.paths.length > 0 || roles.hasQuery);
  if (isRead) return [];
  const { name } = action.toolCall;
  const of = oneLine(roles.command ?? callText(name, call), runningLimit);
  return readRunning(textOfEvent(result), { of, name, call, isRunning: (id) => known.isRunning(id) });
}

interface AnsweredCall {
  readonly action: ActionEvent;
  readonly result: ToolResultEvent;
  readonly call: CallArguments;
  readonly roles: ArgumentRoles;
  readonly reading: ResultReading;
  readonly known: KnownBefore;
}

function commandFacts({ result, call, roles, reading, known }: AnsweredCall, text: string): readonly Fact[] {
  const { status, body } = reading;
  const command = commandText(text);
  const looks = onlyLooks(text);
  const facts: Fact[] = [
    { kind: 'command', command, status, ...(looks ? { onlyLooks: true } : {}), ...addressed(result, body) },
  ];
  const failed = isFailedStatus(status);
  const isKnown = (path: string): boolean => known.knowsFile(path);
  if (!failed) {
    const patched = roles.patch === undefined ? [] : fileFacts({ toolName: 'patch', roles, body, isKnown: () => true });
    facts.push(...(patched.length > 0 ? patched : shellFileFacts(text, isKnown)));
  } else if (typeof status === 'number') {
    // Without an exit status it is unknown whether the command ran at all: it may have been refused.
    facts.push(...writesBeforeFailure(text, body, isKnown));
  }
  if (!looks) {
    const { failing, passing } = readTestResults(body, (name) => known.isFailing(name));
    if (failing.length + passing.length > 0) facts.push({ kind: 'tests', of: command, failing, passing });
    // A search that finds nothing also ends with 1, so the failure of a command that only looks is not an error.
    if (failed) facts.push({ kind: 'error', of: command, text: errorText(body), ...addressed(result, body) });
  }
  return [...facts, ...usedIdentifiers(call), ...(looks || failed ? [] : answeredIdentifiers(body, 'command'))];
}

function otherFacts({ action, result, call, roles, reading, known }: AnsweredCall): readonly Fact[] {
  const { name } = action.toolCall;
  const { status, body } = reading;
  const words = wordsOfName(name);
  if (words.some((word) => thinkingVerbs.has(word)) && roles.paths.length === 0) return [];
  const failed = isFailedStatus(status);
  const used = usedIdentifiers(call);
  const asks = words.some((word) => askingVerbs.has(word));
  const answer: Fact = { kind: 'words', by: 'user', eventId: result.id };
  if (failed) {
    const of = roles.paths[0] ?? callText(name, call);
    const rejected: readonly Fact[] = isUsersAnswer(result, body) ? [answer] : [];
    const made: readonly Fact[] =
      roles.paths.length > 0 ? [] : [{ kind: 'call', call: of, status, ...addressed(result, body) }];
    // A question without an answer is nothing that went wrong.
    const error: readonly Fact[] = asks
      ? []
      : [{ kind: 'error', of, text: errorText(body), ...addressed(result, body) }];
    return [...rejected, ...made, ...error, ...used];
  }
  const tasks = taskFacts({ toolName: name, arguments: call.object, body });
  if (tasks.length > 0) return tasks;
  const files = fileFacts({ toolName: name, roles, body, isKnown: (path) => known.knowsFile(path) });
  if (files.length > 0) return [...files, ...used];
  if (asks) return [answer, ...used];
  const looks = roles.hasQuery || words.some((word) => lookingVerbs.has(word));
  const outcome = { status, ...(looks ? { onlyLooks: true } : {}), ...addressed(result, body) };
  const made: Fact = { kind: 'call', call: callText(name, call), ...outcome };
  return [made, ...used, ...(roles.paths.length > 0 ? [] : answeredIdentifiers(body, 'service'))];
}

/** The address of a result that is long enough to be worth reading again. */
function addressed(result: ToolResultEvent, body: string): { readonly address?: string } {
  return body.length < worthRecalling ? {} : { address: addressOf(result.id) };
}

/** A refusal holds the user's words, even if a runtime recorded it as its own result. */
function isUsersAnswer(result: ToolResultEvent, body: string): boolean {
  if (result.type === 'user-reject-observation') return (result.rejectionSource ?? 'user') === 'user';
  return /\bthe user said:/i.test(body);
}

function commandText(text: string): string {
  const lines = text.trim().split('\n');
  const [first = ''] = lines;
  if (lines.length <= 3) return excerpt(text.trim(), commandLimit);
  return `${excerpt(first, commandLimit - 30)} [… ${lines.length - 1} more lines]`;
}

function callText(name: string, { leaves, plainText }: CallArguments): string {
  const given = leaves.map(({ key, value }) => `${key}=${oneLine(String(value), 60)}`).join(', ');
  return oneLine(`${name}(${plainText ?? given})`, callLimit);
}

/** The line with the error: the last such line of a stack trace, the first of other output. */
function errorText(body: string): string {
  const lines = (body.length > 24_000 ? `${body.slice(0, 12_000)}\n${body.slice(-12_000)}` : body)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const isTelling = (line: string): boolean => line.length >= 12 && line.length <= 2_000 && errorWords.test(line);
  const telling = /^traceback \(/im.test(body) ? lines.findLast(isTelling) : lines.find(isTelling);
  return oneLine(telling ?? lines.at(-1) ?? 'no output', errorLimit);
}
