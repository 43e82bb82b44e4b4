import { readFile, stat } from 'node:fs/promises';
import { isMap, isNode, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { z } from 'zod';
import { HarnessError, messageOf } from '../harness-error.js';
import { scenarioSchema } from './scenario-schema.js';
import type { Scenario } from './scenario-schema.js';

/** A place in a scenario: keys and indices from the top. */
export type ScenarioPath = readonly (string | number)[];

/** A scenario file that was read. */
export interface ScenarioFile {
  readonly file: string;
  readonly scenario: Scenario;
  /** `file:line:column` of a place. */
  where(path: ScenarioPath): string;
}

/** Reads a scenario. @throws {@link HarnessError} `scenario` */
export async function readScenario(file: string): Promise<ScenarioFile> {
  let text: string;
  try {
    // A read of a pipe or a device may never end.
    if (!(await stat(file)).isFile()) throw new Error('it is not a regular file');
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new HarnessError('scenario', `${file}: ${messageOf(cause)}`, { cause });
  }
  return parseScenario(file, text);
}

/** Returns the scenario in a text. @throws {@link HarnessError} `scenario` */
export function parseScenario(file: string, text: string): ScenarioFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0)
    throw scenarioError(document.errors.map((error) => `${at(error.pos[0])}: ${error.message}`));
  const where = (path: ScenarioPath): string => at(offsetOf(document, path));
  const parsed = scenarioSchema.safeParse(valueOf(document, at));
  if (parsed.success) return { file, scenario: parsed.data, where };
  throw scenarioError(parsed.error.issues.flatMap((issue) => problemsOf(issue, where)));
}

function scenarioError(problems: readonly string[]): HarnessError {
  return new HarnessError('scenario', problems.join('\n'));
}

/** Returns the value of a document. Aliases may not grow it without bound. */
function valueOf(document: Document, at: (offset: number) => string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new HarnessError('scenario', `${at(0)}: ${messageOf(cause)}`, { cause });
  }
}

/** Returns where a place begins in the text; for a place that is not there, where the nearest part around it begins. */
function offsetOf(document: Document, path: ScenarioPath): number {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isNode(item.key) && item.key.toJSON() === key);
      if (pair !== undefined && isNode(pair.key)) return pair.key.range?.[0] ?? 0;
    }
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node)) return node.range?.[0] ?? 0;
  }
  return document.contents?.range?.[0] ?? 0;
}

type Issue = z.core.$ZodIssue;

/** Returns the problems in an issue. Of a union, those of the form that the value comes nearest to. */
function problemsOf(issue: Issue, where: (path: ScenarioPath) => string): readonly string[] {
  const path = issue.path as ScenarioPath;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${where([...path, key])}: ${pathText([...path, key])} is not known here`);
  if (issue.code === 'invalid_union') {
    const forms = issue.errors.filter(
      (form) => !form.some((one) => one.path.length === 0 && one.code === 'invalid_type'),
    );
    const [nearest] = [...forms].sort((one, other) => weightOf(one) - weightOf(other));
    if (nearest !== undefined)
      return nearest.flatMap((one) => problemsOf({ ...one, path: [...path, ...one.path] }, where));
    return [`${where(path)}: ${pathText(path)} has none of the forms that are known here`];
  }
  return [`${where(path)}: ${pathText(path)}: ${issue.message}`];
}

/** Weighs the problems of a form: it is far from a value that has other keys. */
function weightOf(form: readonly Issue[]): number {
  return form.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

/** Formats a place as text: `turns[0].model[1].fault`. */
function pathText(path: ScenarioPath): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return text === '' ? 'the file' : text.replace(/^\./, '');
}
