import { isAddress } from '@palimpsest/events';
import type { EventId } from '@palimpsest/events';
import type { FileOperation } from '../../authoring/calls/arguments.js';
import { remembered } from '../../authoring/calls/remembered.js';
import type { CallStatus } from '../../authoring/calls/result.js';

/** A task of a to-do list or a plan, as written by the agent. */
export interface TaskItem {
  readonly id?: string;
  readonly title?: string;
  readonly status?: string;
}

/** The end of a command or a call. */
interface Outcome {
  readonly status: CallStatus;
  readonly onlyLooks?: boolean;
  /** The address of the result, unless the entry says as much as the result did. */
  readonly address?: string;
}

/**
 * One fact of a stretch of a log, small enough for a condensation's metadata. A manifest is the fold of facts in order, so the
 * facts of several stretches are merged by concatenation.
 *
 * - `words`: a message; its text is read from the log when needed, so it never decays
 * - `earlier-summary`: a summary of another condenser; its text is also read from the log
 * - `file`, `command`, `call`: the effect of a call; `call` if it is neither of the first two. `onlyLooks`: the call changes
 *   nothing
 * - `error`: the error, and its file, command or call
 * - `tests`: the failing and passing tests named by one run
 * - `task-list` replaces the list of that name; `task` adds or changes one task
 * - `identifier`: an id, a hash or an address, verbatim
 * - `running`: the id of a shell, a terminal or an agent that a result announces as running; `isEnded`: a later one ends it
 */
export type Fact =
  | { readonly kind: 'words'; readonly by: 'user' | 'agent'; readonly eventId: EventId }
  | { readonly kind: 'earlier-summary'; readonly eventId: EventId }
  | { readonly kind: 'file'; readonly path: string; readonly operation: FileOperation }
  | ({ readonly kind: 'command'; readonly command: string } & Outcome)
  | ({ readonly kind: 'call'; readonly call: string } & Outcome)
  | { readonly kind: 'error'; readonly of: string; readonly text: string; readonly address?: string }
  | {
      readonly kind: 'tests';
      readonly of: string;
      readonly failing: readonly string[];
      readonly passing: readonly string[];
    }
  | { readonly kind: 'task-list'; readonly list: string; readonly tasks: readonly TaskItem[] }
  | { readonly kind: 'task'; readonly task: TaskItem }
  | { readonly kind: 'identifier'; readonly label: string; readonly value: string; readonly used?: boolean }
  | { readonly kind: 'running'; readonly id: string; readonly of: string; readonly isEnded?: boolean };

type Shape = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);
const isOptionalAddress = (value: unknown): boolean => value === undefined || (isText(value) && isAddress(value));
const isOptionalFlag = (value: unknown): boolean => value === undefined || typeof value === 'boolean';
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const oneOf =
  (...values: readonly string[]) =>
  (value: unknown): boolean =>
    isText(value) && values.includes(value);
const isStatus = (value: unknown): boolean => typeof value === 'number' || oneOf('ok', 'failed', 'running')(value);
const isTask = (value: unknown): boolean => hasShape(value, taskShape);

const taskShape: Shape = { id: isOptionalText, title: isOptionalText, status: isOptionalText };
const shapes: Readonly<Record<Fact['kind'], Shape>> = {
  words: { by: oneOf('user', 'agent'), eventId: isText },
  'earlier-summary': { eventId: isText },
  file: { path: isText, operation: oneOf('created', 'modified', 'deleted', 'read') },
  command: { command: isText, status: isStatus, onlyLooks: isOptionalFlag, address: isOptionalAddress },
  call: { call: isText, status: isStatus, onlyLooks: isOptionalFlag, address: isOptionalAddress },
  error: { of: isText, text: isText, address: isOptionalAddress },
  tests: { of: isText, failing: isTextList, passing: isTextList },
  'task-list': { list: isText, tasks: (value) => Array.isArray(value) && value.every(isTask) },
  task: { task: isTask },
  identifier: { label: isText, value: isText, used: isOptionalFlag },
  running: { id: isText, of: isText, isEnded: isOptionalFlag },
};

/**
 * Returns the facts in a condensation's metadata; undefined if it has none. Unknown facts are skipped, so the log of a
 * newer version can be read.
 */
export function factsFromMetadata(
  metadata: Readonly<Record<string, unknown>> | undefined,
): readonly Fact[] | undefined {
  return metadata === undefined ? undefined : checkedFacts(metadata, undefined);
}

/** Each new summary reads the facts of all earlier ones, so they are checked once. */
const checkedFacts = /* @__PURE__ */ remembered((metadata: Readonly<Record<string, unknown>>, _: undefined) => {
  const { facts } = metadata;
  return Array.isArray(facts) ? facts.filter(isFact) : undefined;
});

function isFact(value: unknown): value is Fact {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !isText(value.kind)) return false;
  const shape = Object.hasOwn(shapes, value.kind) ? shapes[value.kind as Fact['kind']] : undefined;
  return shape !== undefined && hasShape(value, shape);
}

function hasShape(value: unknown, shape: Shape): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(shape).every(([key, check]) => check((value as Readonly<Record<string, unknown>>)[key]));
}
