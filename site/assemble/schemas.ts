import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as condensers from '@palimpsest/condensers';
import ts from 'typescript';
import { z } from 'zod';
import { workspaceRoot } from '../../tools/checks/src/workspace.js';

/** The part of a JSON schema that the tables show. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
}

/** Returns the pages of the configuration, by their place in the site. They are made from the schemas that check what users write. */
export function configurationPages(): ReadonlyMap<string, string> {
  return new Map([
    ['reference/configuration/palimpsest.md', agentPage()],
    ['reference/configuration/condensers.md', condensersPage()],
    ['reference/configuration/scenarios.md', scenarioPage()],
  ]);
}

function agentPage(): string {
  return [
    '# Settings of `palimpsest`',
    'Every setting of `.palimpsest/config.toml` and of `~/.config/palimpsest/config.toml`, from the schema that checks both files.',
    'An example of each, where the files stand, and which of them counts: [Configuration](../palimpsest/configuration.md). The options of',
    'a condenser: [Options of the condensers](./condensers.md).',
    '',
    table(readSchema('apps/reference-agent/schemas/config.json')),
  ].join('\n');
}

function scenarioPage(): string {
  return [
    '# Fields of a scenario',
    'Every field of a YAML file for `palimpsest-harness scenario`, from the schema that checks it. What scenarios are for:',
    '[Scenarios](../palimpsest-harness/scenario.md).',
    '',
    table(readSchema('apps/test-harness/schema/scenario.json')),
  ].join('\n');
}

function condensersPage(): string {
  const described = descriptions();
  const sections = Object.values(condensers).flatMap((value: unknown) => {
    if (!isDefinition(value)) return [];
    const schema = z.toJSONSchema(value.options, { io: 'input', unrepresentable: 'any' }) as Schema;
    const hasOptions = Object.keys(schema.properties ?? {}).length > 0;
    const model = value.asksModel ? ' It asks a model: `llm`.' : '';
    const options = hasOptions ? table(schema, described.get(value.name)) : 'It has no options.';
    return [`## ${value.name}`, '', `It ${value.summary}.${model}`, '', options, ''];
  });
  return [
    '# Options of the condensers',
    'From the schemas that check them. The names are the same in a configuration (`[condenser]` with `type` or `stages`) and in code',
    "(`pricedCondenser({ preset: 'cheapest' })`). What each condenser keeps, costs and remembers: [the condensers](../condensers/condensers.md).",
    '',
    ...sections,
  ].join('\n');
}

interface Definition {
  readonly name: string;
  readonly summary: string;
  readonly options: z.core.$ZodType;
  readonly asksModel: boolean;
}

function isDefinition(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && 'options' in value && 'summary' in value && 'create' in value;
}

function readSchema(file: string): Schema {
  return JSON.parse(readFileSync(path.join(workspaceRoot, file), 'utf8')) as Schema;
}

/** A table of all properties. Those of an inner object stand below it, as `permissions.allow`. */
function table(schema: Schema, described: ReadonlyMap<string, string> = new Map()): string {
  const rows = rowsOf(schema, '', described).map((cells) => `| ${cells.map(escaped).join(' | ')} |`);
  return ['| name | value | default | meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

function rowsOf(schema: Schema, prefix: string, described: ReadonlyMap<string, string>): readonly string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = `${prefix}${key}`;
    const isRequired = schema.required?.includes(key) === true && property.default === undefined;
    const value = property.default === undefined ? '' : `\`${JSON.stringify(property.default)}\``;
    const isShown = value !== '`{}`' && value !== '';
    const meaning = property.description ?? described.get(name) ?? '';
    const inner = property.items?.properties === undefined ? property : property.items;
    const open = property.additionalProperties;
    return [
      [`\`${name}\``, valueOf(property), isRequired ? 'required' : isShown ? value : '', meaning],
      ...rowsOf(inner, inner === property ? `${name}.` : `${name}[].`, described),
      ...(typeof open === 'object' ? rowsOf(open, `${name}.NAME.`, described) : []),
    ];
  });
}

function valueOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((each) => `\`${JSON.stringify(each)}\``).join(', ');
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map(valueOf).filter((each) => each !== ''))].join(' or ');
  if (schema.items !== undefined) return `list of ${valueOf(schema.items) || 'values'}`;
  const least = schema.minimum ?? schema.exclusiveMinimum;
  const sign = schema.minimum === undefined ? '>' : '≥';
  const names: Readonly<Record<string, string>> = {
    integer: 'whole number',
    boolean: '`true` or `false`',
    string: 'text',
    object: 'table',
  };
  const name = names[schema.type ?? ''] ?? schema.type ?? '';
  return least === undefined ? name : `${name} ${sign} ${least}`;
}

/** The words of the types on each option, by the name of the condenser. */
function descriptions(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const entry = path.join(workspaceRoot, 'packages/condensers/src/index.ts');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path.join(workspaceRoot, 'site/tsconfig.api.json'), ts.sys.readFile).config,
    ts.sys,
    path.join(workspaceRoot, 'site'),
  );
  const program = ts.createProgram([entry], options);
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  const found = new Map<string, ReadonlyMap<string, string>>();
  for (const symbol of module === undefined ? [] : checker.getExportsOfModule(module)) {
    const [, name] = /^(\w+)Condenser$/.exec(symbol.name) ?? [];
    const [parameter] = (name && checker.getTypeOfSymbol(symbol).getCallSignatures()[0]?.getParameters()) || [];
    if (name === undefined || parameter === undefined) continue;
    const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
    found.set(name, new Map(documented(type, '', checker)));
  }
  return found;
}

function documented(type: ts.Type, prefix: string, checker: ts.TypeChecker): readonly (readonly [string, string])[] {
  return checker.getPropertiesOfType(type).flatMap((property) => {
    const name = `${prefix}${property.name}`;
    const text = ts.displayPartsToString(property.getDocumentationComment(checker));
    const fallback = property.getJsDocTags(checker).find((tag) => tag.name === 'defaultValue')?.text;
    const inner = prefix === '' && property.name === 'modelCall' ? checker.getTypeOfSymbol(property) : undefined;
    const isNumber = /^[\d_.'"a-z]+$/.test(ts.displayPartsToString(fallback));
    const byDefault = fallback === undefined || isNumber ? '' : ` Default: ${ts.displayPartsToString(fallback)}.`;
    return [
      [name, `${text}${byDefault}`] as const,
      ...(inner === undefined ? [] : documented(checker.getNonNullableType(inner), `${name}.`, checker)),
    ];
  });
}

/** Text for a cell of a table. Links of TSDoc become names. */
function escaped(text: string): string {
  return text
    .replaceAll(/\{@link (?:\w+\.)?([^}| ]+)[^}]*\}/g, '`$1`')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;');
}
