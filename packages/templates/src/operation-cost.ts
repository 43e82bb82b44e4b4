import type { JinjaValue } from './jinja.js';
import type { RenderingBudget } from './template-limits.js';
import { charactersIn, isCollection, itemsIn, valuesIn } from './value-size.js';

// Each function spends the cost of an operation before the library performs it. The length of some results is the product of the
// lengths of two operands.

/** The minimum length of the separator between list values when a list becomes a text. Unit: characters. */
const aroundValue = 4;

/**
 * Spends the cost of traversing a value and everything inside it. A value that occurs twice counts twice. Returns the length of
 * the value as a text, in characters.
 */
export function spendWhole(value: JinjaValue, budget: RenderingBudget): number {
  if (!isCollection(value)) return charactersIn(value) || aroundValue;
  let characters = 0;
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    budget.spend(1);
    characters += charactersIn(next) + aroundValue;
    if (!isCollection(next)) continue;
    if (next.value instanceof Map) for (const key of next.value.keys()) characters += String(key).length;
    // Items are visited one by one, so a list with more items than the remaining budget is not copied first.
    for (const each of valuesIn(next)) open.push(each);
  }
  budget.write(characters);
  return characters;
}

/** Spends the cost of `left operator right`. */
export function costOfOperator(operator: string, left: JinjaValue, right: JinjaValue, budget: RenderingBudget): void {
  if (operator === 'in' || operator === 'not in') {
    if (charactersIn(right) > 0) searchCost(charactersIn(right), charactersIn(left), budget);
    else budget.spend(itemsIn(right) * searchLength(charactersIn(left)));
    return;
  }
  if (Array.isArray(left.value) && Array.isArray(right.value)) {
    budget.spend(left.value.length + right.value.length);
    return;
  }
  budget.write(spendWhole(left, budget) + spendWhole(right, budget));
}

/** Spends the cost of a filter: `operand | name(values)`. */
export function costOfFilter(
  name: string,
  operand: JinjaValue,
  values: readonly JinjaValue[],
  budget: RenderingBudget,
): void {
  if (constantFilters.has(name)) return;
  if (name === 'replace') {
    replacementCost(operand, values, budget);
    return;
  }
  const given = values.reduce((sum, value) => sum + spendWhole(value, budget), 0);
  const characters = spendWhole(operand, budget);
  const items = Math.max(1, itemsIn(operand));
  switch (name) {
    case 'join':
      budget.write(characters + items * given);
      return;
    case 'indent':
      budget.write(characters + linesIn(operand) * Math.max(4, numberIn(values)));
      return;
    case 'tojson':
      // Escapes and white space: each nested value is indented on its own line.
      budget.write(6 * characters + depthOf(operand) * (numberIn(values) + given) * valuesWithin(operand, budget));
      return;
    case 'sort':
    case 'dictsort':
      budget.read(characters * Math.ceil(Math.log2(items + 1)));
      budget.spend(items * Math.ceil(Math.log2(items + 1)) * (1 + Math.ceil(given / 16)));
      return;
    default:
      budget.read(characters);
      budget.spend(items * (1 + Math.ceil(given / 16)));
  }
}

/** Spends the cost of a call. `owner` is the value whose method is called. */
export function costOfCall(
  owner: JinjaValue | undefined,
  name: string,
  values: readonly JinjaValue[],
  budget: RenderingBudget,
): void {
  for (const value of values) budget.spend(itemsIn(value) === 1 ? 1 : Math.ceil(itemsIn(value) / 16));
  if (owner === undefined) return;
  if (name === 'replace') {
    replacementCost(owner, values, budget);
    return;
  }
  const [first] = values;
  if (name === 'split') searchCost(charactersIn(owner), first === undefined ? 1 : charactersIn(first), budget);
  // Splitting a text gives as many values, and each takes more memory than a character.
  budget.spend(name === 'split' ? Math.ceil(itemsIn(owner) / 8) : isCollection(owner) ? itemsIn(owner) : 1);
  budget.read(charactersIn(owner));
  if (name === 'dictsort') spendWhole(owner, budget);
}

/** Filters that read at most one item. */
const constantFilters: ReadonlySet<string> = new Set([
  'length',
  'first',
  'last',
  'list',
  'safe',
  'default',
  'abs',
  'bool',
]);

/**
 * The factor by which the length of the searched-for text makes a search slower: the engine may compare all of it at each
 * position.
 */
function searchLength(characters: number): number {
  return Math.max(1, Math.ceil(characters / 16));
}

function searchCost(within: number, wanted: number, budget: RenderingBudget): void {
  budget.read(within * searchLength(wanted));
}

function replacementCost(operand: JinjaValue, values: readonly JinjaValue[], budget: RenderingBudget): void {
  const [old, replacement] = values.map(({ value }) => value);
  const { value: text } = operand;
  if (typeof text !== 'string' || typeof old !== 'string' || typeof replacement !== 'string') return;
  searchCost(text.length, old.length, budget);
  let found = old === '' ? text.length + 1 : 0;
  if (old !== '') for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + old.length)) found++;
  budget.spend(found);
  budget.write(text.length + found * replacement.length);
}

function linesIn({ value }: JinjaValue): number {
  if (typeof value !== 'string') return 1;
  let lines = 1;
  for (let at = value.indexOf('\n'); at !== -1; at = value.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** The sum of the numbers among values. */
function numberIn(values: readonly JinjaValue[]): number {
  return values.reduce((sum, { value }) => sum + (typeof value === 'number' && value > 0 ? value : 0), 0);
}

/** The number of values inside a value, itself included. */
function valuesWithin(value: JinjaValue, budget: RenderingBudget): number {
  let count = 0;
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    budget.spend(1);
    count++;
    for (const each of valuesIn(next)) open.push(each);
  }
  return count;
}

/** The nesting depth of a value. The caller has already traversed the value, so its size is within the limits. */
function depthOf(value: JinjaValue): number {
  let depth = 0;
  for (let level: readonly JinjaValue[] = [value]; level.length > 0; level = level.flatMap(valuesIn)) depth++;
  return depth;
}
