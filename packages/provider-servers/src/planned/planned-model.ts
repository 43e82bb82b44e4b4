import type { JsonObject } from '../rules/wire/wire-json.js';
import type { Script, ScriptedAnswer } from '../scripted.js';
import { callFor, toolsOf } from './host-tools.js';
import type { Act } from './host-tools.js';
import { withFacts, factsNeededBy } from './plan.js';
import type { Plan, PlanStep } from './plan.js';

/**
 * What a model does when a step needs a text that its prompt does not show. `needy` reads it again, `forgetful` guesses, `sloppy` reads it
 * again every second time. `indifferent` knows everything without looking: what is hidden from it changes nothing.
 */
export type PlannedModelKind = 'needy' | 'forgetful' | 'sloppy' | 'indifferent';

/** The kinds of models. */
export const plannedModelKinds: readonly PlannedModelKind[] = ['needy', 'forgetful', 'sloppy', 'indifferent'];

/** Options of {@link plannedModel}. */
export interface PlannedModelOptions {
  readonly kind: PlannedModelKind;
  /** The agent's folder: hosts may take absolute paths. */
  readonly folder: string;
  /** `varied`: only the lines around the text, or by a command, in turn. @defaultValue exact: the whole file, as at first */
  readonly rereads?: 'exact' | 'varied' | undefined;
}

/** A model that follows a plan, and what it has done so far. */
export interface PlannedModel {
  /** For `scriptedServer`. */
  readonly script: Script;
  /** The steps of the plan that are done. */
  readonly steps: number;
  /** The texts that it had to read again, and those that it wrote without knowing them. */
  readonly rereads: number;
  readonly guesses: number;
}

/** The text that the model writes for what it does not know. */
const unknown = 'unknown';
/** A needy model looks for the same text so many times in a step: what is read may be hidden again before the rest is read. */
const mostLooks = 3;
/** Files that are read again in one answer. */
const mostAtOnce = 4;
/** Lines before and behind the text, when it is read again in part. */
const linesAround = 10;

/**
 * Makes a model that does the steps of a plan one by one, on any host whose tools read, write and edit files. It knows of a fact what the
 * request shows, and nothing else: which kind of model wins under which condensation is known before. Requests without tools, for a title
 * or a summary, get a sentence.
 */
export function plannedModel(plan: Plan, { kind, folder, rereads = 'exact' }: PlannedModelOptions): PlannedModel {
  let next = 0;
  let calls = 0;
  const count = { rereads: 0, guesses: 0 };
  let looks = new Map<string, number>();
  let refused: PlanStep | undefined;

  const looksFor = (name: string): boolean => {
    const { file } = plan.facts[name] ?? {};
    if (file === undefined || kind === 'forgetful') return false;
    const before = looks.get(name) ?? 0;
    if (kind === 'needy') return before < mostLooks;
    // An edit that was refused says that its file has to be read.
    return before === 0 && (refused !== undefined || (next + file.length) % 2 === 0);
  };

  const rereadsOf = (names: readonly string[]): readonly Act[] => {
    const files = new Map<string, Act>();
    for (const name of names) {
      const { file = '', line } = plan.facts[name] ?? {};
      if (files.size === mostAtOnce && !files.has(file)) continue;
      looks.set(name, (looks.get(name) ?? 0) + 1);
      if (files.has(file)) continue;
      files.set(file, rereadOf(file, line));
      count.rereads++;
    }
    return [...files.values()];
  };

  const rereadOf = (file: string, line: number | undefined): Act => {
    if (rereads === 'exact' || line === undefined) return { do: 'read', file };
    const [first, last] = [Math.max(1, line - linesAround), line + linesAround];
    return count.rereads % 2 === 0
      ? { do: 'read', file, lines: [first, last] }
      : { do: 'run', command: `sed -n '${first},${last}p' ${file}` };
  };

  /** Does the step. What it does not know, it writes wrongly. */
  const done = (step: PlanStep, isKnown: (name: string) => boolean): Act => {
    const value = (name: string): string => {
      if (isKnown(name)) return plan.facts[name]?.value ?? unknown;
      count.guesses++;
      return unknown;
    };
    if (step.do === 'read') return step;
    if (step.do === 'write') return { ...step, text: withFacts(step.text, value) };
    return { ...step, oldText: withFacts(step.oldText, value), newText: withFacts(step.newText, value) };
  };

  const acts = (prompt: string): readonly Act[] => {
    const step = plan.steps[next];
    if (step === undefined) return [];
    const isKnown = (name: string): boolean =>
      kind === 'indifferent' || prompt.includes(plan.facts[name]?.shows ?? unknown);
    const missing = factsNeededBy(step).filter((name) => !isKnown(name));
    const wanted = missing.filter(looksFor);
    if (wanted.length > 0) return rereadsOf(wanted);
    const act = done(step, isKnown);
    const isRefused = act.do === 'edit' && missing.length > 0 && kind === 'sloppy' && refused !== step;
    refused = isRefused ? step : undefined;
    if (!isRefused) next++;
    looks = new Map();
    return [act];
  };

  return {
    script: (body): ScriptedAnswer => {
      const tools = toolsOf(body);
      if (tools.length === 0) return { text: 'The work on the task goes on.' };
      const made = acts(promptOf(body)).flatMap((act) => callFor(act, tools, folder) ?? []);
      if (made.length === 0) return { text: 'The work is done.' };
      return { text: wordsOf(next, plan), calls: made.map((call) => ({ id: `call_${++calls}`, ...call })) };
    },
    get steps() {
      return next;
    },
    get rereads() {
      return count.rereads;
    },
    get guesses() {
      return count.guesses;
    },
  };
}

/** Returns all that the model reads of a request, but its tools. */
function promptOf({ tools: _, ...body }: JsonObject): string {
  return JSON.stringify(body);
}

function wordsOf(next: number, { steps }: Plan): string {
  return `This is step ${Math.min(next, steps.length)} of ${steps.length}.`;
}
