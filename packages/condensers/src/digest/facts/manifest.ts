import type { EventId } from '@palimpsest/events';
import type { FileOperation } from '../../authoring/calls/arguments.js';
import { isFailedStatus } from '../../authoring/calls/result.js';
import type { CallStatus } from '../../authoring/calls/result.js';
import type { Fact, TaskItem } from './fact.js';

/** A command or a call, with its latest outcome. */
export interface Run {
  readonly text: string;
  readonly status: CallStatus;
  readonly times: number;
  readonly onlyLooks: boolean;
  /** Of the latest result that says more than the entry. */
  readonly address: string | undefined;
}

/** A file with its operations, each once, the latest last. */
export interface FileEntry {
  readonly path: string;
  readonly operations: readonly FileOperation[];
}

/** An error with what it is of. */
export interface ErrorEntry {
  readonly of: string;
  readonly text: string;
  /** Of the result that states it, if that says more. */
  readonly address: string | undefined;
}

/** The id of something that runs, and the command or call that began it. */
export interface RunningEntry {
  readonly id: string;
  readonly of: string;
}

/** An identifier with its label. */
export interface IdentifierEntry {
  readonly value: string;
  readonly label: string;
  /** The agent has used it. */
  readonly used: boolean;
}

/**
 * The effects of a stretch of a log, ordered by the last occurrence of each: the fold of its facts. Errors and failing tests stay
 * until the same command, call or file succeeds.
 */
export class Manifest {
  #userWords = new Set<EventId>();
  #agentWords = new Set<EventId>();
  #earlierSummaries = new Set<EventId>();
  #files = new Map<string, FileEntry>();
  #commands = new Map<string, Run>();
  #calls = new Map<string, Run>();
  #errors = new Map<string, ErrorEntry>();
  #failing = new Map<string, string>();
  #lists = new Map<string, readonly TaskItem[]>();
  #tasks = new Map<string, TaskItem>();
  #identifiers = new Map<string, IdentifierEntry>();
  #running = new Map<string, RunningEntry>();

  constructor(facts: Iterable<Fact> = []) {
    for (const fact of facts) this.add(fact);
  }

  /** A manifest of the same facts, to go on with. */
  copy(): Manifest {
    const copy = new Manifest();
    copy.#userWords = new Set(this.#userWords);
    copy.#agentWords = new Set(this.#agentWords);
    copy.#earlierSummaries = new Set(this.#earlierSummaries);
    copy.#files = new Map(this.#files);
    copy.#commands = new Map(this.#commands);
    copy.#calls = new Map(this.#calls);
    copy.#errors = new Map(this.#errors);
    copy.#failing = new Map(this.#failing);
    copy.#lists = new Map(this.#lists);
    copy.#tasks = new Map(this.#tasks);
    copy.#identifiers = new Map(this.#identifiers);
    copy.#running = new Map(this.#running);
    return copy;
  }

  add(fact: Fact): void {
    switch (fact.kind) {
      case 'words':
        (fact.by === 'user' ? this.#userWords : this.#agentWords).add(fact.eventId);
        return;
      case 'earlier-summary':
        this.#earlierSummaries.add(fact.eventId);
        return;
      case 'file': {
        const { path, operation } = fact;
        const before = this.#files.get(path);
        if (before === undefined) {
          this.#files.set(path, { path, operations: [operation] });
        } else {
          const isSame = before.operations.at(-1) === operation;
          moveToEnd(this.#files, path, isSame ? before : { path, operations: operationsWith(before, operation) });
        }
        this.#errors.delete(path);
        return;
      }
      case 'command':
        this.#ran(this.#commands, fact.command, fact);
        return;
      case 'call':
        this.#ran(this.#calls, fact.call, fact);
        return;
      case 'error':
        moveToEnd(this.#errors, fact.of, { of: fact.of, text: fact.text, address: fact.address });
        return;
      case 'tests':
        for (const name of fact.passing) this.#failing.delete(name);
        for (const name of fact.failing) moveToEnd(this.#failing, name, fact.of);
        return;
      case 'task-list':
        moveToEnd(this.#lists, fact.list, fact.tasks);
        return;
      case 'task': {
        const key = fact.task.id ?? fact.task.title ?? '';
        this.#tasks.set(key, { ...this.#tasks.get(key), ...fact.task });
        return;
      }
      case 'running': {
        const { id, of } = fact;
        if (fact.isEnded === true) this.#running.delete(id);
        else moveToEnd(this.#running, id, this.#running.get(id) ?? { id, of });
        return;
      }
      case 'identifier': {
        const before = this.#identifiers.get(fact.value);
        const label = fact.label === '' ? (before?.label ?? '') : fact.label;
        const used = fact.used === true || before?.used === true;
        moveToEnd(this.#identifiers, fact.value, { value: fact.value, label, used });
      }
    }
  }

  /** Returns true if the file was read, written or deleted in this stretch. */
  knowsFile(path: string): boolean {
    return this.#files.has(path);
  }

  isFailing(test: string): boolean {
    return this.#failing.has(test);
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** The running entries that no later result has ended. */
  get running(): readonly RunningEntry[] {
    return [...this.#running.values()];
  }

  get userWords(): readonly EventId[] {
    return [...this.#userWords];
  }

  get agentWords(): readonly EventId[] {
    return [...this.#agentWords];
  }

  get earlierSummaries(): readonly EventId[] {
    return [...this.#earlierSummaries];
  }

  get files(): readonly FileEntry[] {
    return [...this.#files.values()];
  }

  get commands(): readonly Run[] {
    return [...this.#commands.values()];
  }

  get calls(): readonly Run[] {
    return [...this.#calls.values()];
  }

  get errors(): readonly ErrorEntry[] {
    return [...this.#errors.values()];
  }

  get failingTests(): readonly string[] {
    return [...this.#failing.keys()];
  }

  /** The tasks of every list and every single task, closed ones included. */
  get tasks(): readonly TaskItem[] {
    return [...[...this.#lists.values()].flat(), ...this.#tasks.values()];
  }

  get identifiers(): readonly IdentifierEntry[] {
    return [...this.#identifiers.values()];
  }

  #ran(runs: Map<string, Run>, text: string, fact: Extract<Fact, { readonly kind: 'command' | 'call' }>): void {
    const { status, onlyLooks = false } = fact;
    const before = runs.get(text);
    const address = fact.address ?? before?.address;
    moveToEnd(runs, text, { text, status, times: (before?.times ?? 0) + 1, onlyLooks, address });
    if (isFailedStatus(status) || status === 'running') return;
    this.#errors.delete(text);
    for (const [name, of] of this.#failing) if (of === text) this.#failing.delete(name);
  }
}

function operationsWith(before: FileEntry, operation: FileOperation): readonly FileOperation[] {
  return [...before.operations.filter((one) => one !== operation), operation];
}

function moveToEnd<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}
