import type { JinjaValue } from './jinja.js';
import type { RenderingBudget } from './template-limits.js';
import { charactersIn, isCollection, itemsIn, valuesIn } from './value-size.js';

// Each function spends what an operation costs before the library does it: some make a text that is as long as the product of
// two others.

/** What stands between the values of a list when it becomes a text, at the least. Unit: characters. */
const aroundValue = 4;

/**
 * Spends what it takes to go through a value and all that it holds, a value that stands in it twice twice. Returns how many
 * characters it has as a text.
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
    // One by one: a list that holds more than is left is not copied first.
    for (const each of valuesIn(next)) open.push(each);
  }
  budget.write(characters);
  return characters;
}

/** For `left operator right`. */
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

/** For a filter: `operand | name(values)`. */
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
      // Escapes and white space: each level of a value is indented on its own line.
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

/** For a call; `owner` is the value whose method it is. */
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
  // A text that is split becomes as many values, each larger than a character.
  budget.spend(name === 'split' ? Math.ceil(itemsIn(owner) / 8) : isCollection(owner) ? itemsIn(owner) : 1);
  budget.read(charactersIn(owner));
  if (name === 'dictsort') spendWhole(owner, budget);
}

/** Filters that look at one item, or at none. */
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

/** How much longer a search takes for what is looked for: the engine may compare all of it at each place. */
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

/** How many values stand in a value, itself included. */
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

/** How deep values stand in a value. Called for a value that has been gone through: it is not larger than the limits. */
function depthOf(value: JinjaValue): number {
  let depth = 0;
  for (let level: readonly JinjaValue[] = [value]; level.length > 0; level = level.flatMap(valuesIn)) depth++;
  return depth;
}
