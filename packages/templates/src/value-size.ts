import type { JinjaValue } from './jinja.js';

/** The characters of a text; 0 for anything else. */
export function charactersIn({ value }: JinjaValue): number {
  return typeof value === 'string' ? value.length : 0;
}

/** The items of a list or a map, the characters of a text; 1 for anything else. */
export function itemsIn({ value }: JinjaValue): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : 1;
}

/** The values of a list or a map; none of anything else. */
export function valuesIn({ value }: JinjaValue): readonly JinjaValue[] {
  if (Array.isArray(value)) return value as readonly JinjaValue[];
  return value instanceof Map ? [...(value as ReadonlyMap<string, JinjaValue>).values()] : [];
}

/** True for a list or a map. */
export function isCollection({ value }: JinjaValue): boolean {
  return Array.isArray(value) || value instanceof Map;
}
