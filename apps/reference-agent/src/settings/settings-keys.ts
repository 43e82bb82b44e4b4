import { z } from 'zod';
import { settingsSchema } from './settings.js';

/** One setting: its place in the schema, and how the values of several layers go together. */
export interface SettingKey {
  readonly path: readonly string[];
  /** As it is written in messages: `sandbox.network`. */
  readonly name: string;
  /** The values of a list add up. Of any other setting the highest layer's value holds. */
  readonly isList: boolean;
  /** The values of a table of names add up; of each name the highest layer's value holds. */
  readonly isByName: boolean;
}

/** The settings that are tables of names. */
export const tablesOfNames: readonly string[] = ['mcp.servers'];

/** Where the schema has no setting, or one that has another name here. */
const notHere: ReadonlySet<string> = new Set(['$schema', 'enable_default_condenser', 'core']);

/** Every setting of the schema, in its order. */
export const settingKeys: readonly SettingKey[] = keysIn(settingsSchema, []);

/** The settings that are paths. They are relative to the place of their layer; `~/` is the user's home. */
export const pathSettings: readonly string[] = [
  'sandbox.readable',
  'sandbox.writable',
  'context.instructions',
  'context.skillFolders',
  'templateFolder',
];

/** The names that a table of the schema has. Undefined for what is no table of the schema. */
export function namesAt(path: readonly (string | number)[]): readonly string[] | undefined {
  let schema: unknown = settingsSchema;
  for (const key of path) {
    if (schema instanceof z.ZodRecord) schema = schema.valueType;
    else if (schema instanceof z.ZodObject) schema = unwrapped((schema.shape as Record<string, unknown>)[key]);
    else return undefined;
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : undefined;
}

/** The value at a path of nested tables. */
export function valueAt(table: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    table,
  );
}

/** A table with the value at a path; absent tables are made. The table is changed. */
export function setAt(table: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) table[key] = value;
  else setAt((table[key] ??= {}) as Record<string, unknown>, rest, value);
}

function keysIn(schema: z.ZodObject, before: readonly string[]): readonly SettingKey[] {
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const path = [...before, key];
    const name = path.join('.');
    if (notHere.has(name)) return [];
    const inner = unwrapped(field);
    if (inner instanceof z.ZodObject) return keysIn(inner, path);
    return [{ path, name, isList: inner instanceof z.ZodArray, isByName: tablesOfNames.includes(name) }];
  });
}

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}
