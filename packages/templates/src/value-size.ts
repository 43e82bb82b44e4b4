import type { JinjaValue } from './jinja.js';

/** The length of a text in characters; 0 for other values. */
export function charactersIn({ value }: JinjaValue): number {
  return typeof value === 'string' ? value.length : 0;
}

/** The number of items of a list or a map, or the characters of a text; 1 for other values. */
export function itemsIn({ value }: JinjaValue): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : 1;
}

/** The values of a list or a map; empty for other values. */
export function valuesIn({ value }: JinjaValue): readonly JinjaValue[] {
  if (Array.isArray(value)) return value as readonly JinjaValue[];
  return value instanceof Map ? [...(value as ReadonlyMap<string, JinjaValue>).values()] : [];
}

/** True for a list or a map. */
export function isCollection({ value }: JinjaValue): boolean {
  return Array.isArray(value) || value instanceof Map;
}
