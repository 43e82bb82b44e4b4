import { sliceText } from '@palimpsest/events';
import type * as z from 'zod/mini';
import { InvalidCondenserConfigError } from '../errors.js';
import { nearMiss } from './near-miss.js';

/** What was checked, for the message. */
export interface CheckedPart {
  /** The condenser, or what else the options belong to. */
  readonly subject: string;
  /** Where the options stand in the configuration; empty at its top. */
  readonly path: string;
  /** The options that there are; one of a group with the group's name before it: `modelCall.timeoutMs`. */
  readonly known: readonly string[];
  readonly value: unknown;
}

/** All that is wrong with some options, in one error that names the place, what was expected and what was found. */
export function invalidOptions(part: CheckedPart, issues: readonly z.core.$ZodIssue[]): InvalidCondenserConfigError {
  const found = issues.flatMap((issue) => reasonsOf(part, issue));
  const [first = { option: part.path, reason: 'is not valid' }, ...others] = found;
  const more = others.map(({ option, reason }) => `\n${part.subject}: '${option}' ${reason}`).join('');
  return new InvalidCondenserConfigError({
    condenser: part.subject,
    option: first.option,
    reason: first.reason + more,
  });
}

/** Checks that options are an object. @throws {@link InvalidCondenserConfigError} when they are not. */
export function assertOptionsObject(subject: string, value: unknown, path = ''): asserts value is object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  const option = path === '' ? 'options' : path;
  throw new InvalidCondenserConfigError({
    condenser: subject,
    option,
    reason: `must be an object, not ${shown(value)}`,
  });
}

/** `a`, `a.b` or `a[0]`. */
export function joined(path: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? String(key) : `${path}.${String(key)}`;
}

/** How a value looks in a message. */
export function shown(value: unknown): string {
  const text = textOf(value);
  return text.length > 80 ? `${sliceText(text, 0, 77)}…` : text;
}

function reasonsOf(
  { path, known, value }: CheckedPart,
  issue: z.core.$ZodIssue,
): readonly { readonly option: string; readonly reason: string }[] {
  const option = issue.path.reduce<string>(joined, path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      option: joined(option, key),
      reason: `is not an option.${didYouMean(key, known)} ${listed(known)}`,
    }));
  }
  // A check of several options together says all that there is to say.
  if (issue.code === 'custom' && issue.params?.['isComplete'] === true) return [{ option, reason: issue.message }];
  const given = issue.path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)?.[key], value);
  if (given === undefined) return [{ option, reason: `is missing: it ${issue.message}` }];
  return [{ option, reason: `${issue.message}, not ${shown(given)}` }];
}

/** The known option whose own name is nearest, with the group that it stands in. */
function didYouMean(key: string, known: readonly string[]): string {
  const near = nearMiss(key, known.map(ownName));
  return near === undefined ? '' : ` Did you mean '${known.find((option) => ownName(option) === near) ?? near}'?`;
}

function ownName(option: string): string {
  return option.slice(option.lastIndexOf('.') + 1);
}

function listed(known: readonly string[]): string {
  return known.length === 0 ? 'There are none.' : `There are: ${known.join(', ')}.`;
}

function textOf(value: unknown): string {
  // JSON knows neither NaN nor Infinity, and would show null.
  if (typeof value === 'number') return String(value);
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    // It holds itself, or what JSON does not know.
    return typeof value;
  }
}
