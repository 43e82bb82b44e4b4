import { InvalidEventError } from './errors.js';

type Path = (string | number)[];

const maximumDepth = 500;
const tooDeep = `nested deeper than ${maximumDepth} levels`;

/**
 * Returns a deeply frozen copy of plain JSON data. Properties that are `undefined` are left out, as in JSON.
 *
 * @throws {@link InvalidEventError} when something in it is not JSON (a function, a `bigint`, `NaN`, a `Date`, a cycle).
 */
export function immutableJson(value: unknown): unknown {
  return copy(value, []);
}

/**
 * Freezes a value that `JSON.parse` has just made, and all in it.
 *
 * @throws {@link InvalidEventError} when it is nested too deeply.
 */
export function freezeParsedJson(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > maximumDepth) throw notJson([], tooDeep);
  // Plain loops without lists, and no call for a text: this runs for every event of a stored log.
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') freezeParsedJson(item, depth + 1);
  } else {
    for (const key in value) {
      const item = (value as Record<string, unknown>)[key];
      if (typeof item === 'object') freezeParsedJson(item, depth + 1);
    }
  }
  Object.freeze(value);
}

function copy(value: unknown, path: Path): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw notJson(path, `${value} has no JSON form`);
      // JSON knows no -0.
      return value === 0 ? 0 : value;
    case 'object':
      break;
    default:
      throw notJson(path, `a ${typeof value} has no JSON form`);
  }
  if (value === null) return null;
  if (path.length > maximumDepth) throw notJson(path.slice(0, 5), `${tooDeep}, or a cycle`);
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (let index = 0; index < value.length; index++) items.push(copyAt(value[index], index, path));
    return Object.freeze(items);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
    throw notJson(path, `${nameOf(value)} is not plain data`);
  }
  const result: Record<string, unknown> = {};
  // No list of pairs: the metadata of a condensation may hold thousands of small objects.
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (item === undefined) continue;
    const frozen = copyAt(item, key, path);
    if (key === '__proto__') Object.defineProperty(result, key, { value: frozen, enumerable: true });
    else result[key] = frozen;
  }
  return Object.freeze(result);
}

function nameOf(value: object): string {
  const { constructor } = value as { readonly constructor?: unknown };
  return typeof constructor === 'function' && constructor !== Object
    ? `a ${constructor.name}`
    : 'an object with a prototype';
}

function copyAt(value: unknown, key: string | number, path: Path): unknown {
  // Most values are strings: a condensation may name thousands of ids.
  if (typeof value === 'string') return value;
  path.push(key);
  const result = copy(value, path);
  path.pop();
  return result;
}

function notJson(path: Path, reason: string): InvalidEventError {
  return new InvalidEventError({ reason, path: [...path] });
}
