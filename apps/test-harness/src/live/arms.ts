import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { HarnessError, messageOf } from '../harness-error.js';
import { armHelp, presets } from './choices.js';

const armSchema = z.strictObject({
  name: z.string().regex(/^[\w.-]+$/, 'may hold letters, digits, dots, - and _'),
  /** The gateway's preset. @defaultValue none: the gateway only measures */
  preset: z.enum(presets).optional(),
  /** A file that describes the gateway's condenser. */
  config: z.string().optional(),
  /** The newest text that fits stays, and nothing takes the place of the rest. Unit: tokens. */
  truncateTo: z.int().min(1_000).optional(),
  /** The address that the gateway sends to: another one's proxy, which sends to the provider. */
  upstream: z.url({ protocol: /^https?$/ }).optional(),
  /** Variables for the agent. */
  env: z.record(z.string(), z.string()).optional(),
  /** Another command of the agent. */
  agent: z.string().optional(),
});

/** A setting under which the agent works: what is compared. */
export type Arm = z.infer<typeof armSchema>;

/**
 * Reads what follows `--arm`.
 *
 * @throws {@link HarnessError} when it is no arm, or two arms have one name
 */
export async function armsOf(texts: readonly string[]): Promise<readonly Arm[]> {
  const arms = (await Promise.all(texts.map(armsIn))).flat();
  const names = arms.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw armError(`two arms have the name '${twice}'`);
  return arms;
}

async function armsIn(text: string): Promise<readonly Arm[]> {
  if (text === 'none') return [{ name: 'none' }];
  const preset = presets.find((each) => each === text);
  if (preset !== undefined) return [{ name: preset, preset }];
  if (text.endsWith('.toml')) return armsInFile(text);
  const [, size] = /^truncation:(\d+)$/.exec(text) ?? [];
  if (size !== undefined) return [checked({ name: 'truncation', truncateTo: Number(size) }, text)];
  const [, name, upstream] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name !== undefined) return [checked({ name, upstream }, text)];
  throw armError(`'${text}' is no arm. There are: ${armHelp}`);
}

async function armsInFile(file: string): Promise<readonly Arm[]> {
  let read: unknown;
  try {
    read = parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw armError(`'${file}' cannot be read: ${messageOf(cause)}`, cause);
  }
  const { arm } = read as { readonly arm?: unknown };
  if (!Array.isArray(arm)) throw armError(`'${file}' has no table [[arm]]`);
  return arm.map((each: unknown) => {
    const found = checked(each, file);
    if (found.config === undefined) return found;
    return { ...found, config: path.resolve(path.dirname(file), found.config) };
  });
}

function checked(value: unknown, place: string): Arm {
  const { data, error } = armSchema.safeParse(value);
  if (data === undefined) throw armError(`'${place}' is no arm: ${z.prettifyError(error)}`);
  const { preset, config, truncateTo } = data;
  if ([preset, config, truncateTo].filter((each) => each !== undefined).length > 1)
    throw armError(`arm '${data.name}' may have only one of 'preset', 'config' and 'truncateTo'`);
  return data;
}

function armError(reason: string, cause?: unknown): HarnessError {
  return new HarnessError('live', `Arms: ${reason}`, { cause });
}

/** Returns the condenser of the gateway as a configuration. Undefined if a preset or a file says it. */
export function condenserOf({ preset, config, truncateTo }: Arm): object | undefined {
  if (preset !== undefined || config !== undefined) return undefined;
  if (truncateTo === undefined) return { condenser: { type: 'noOp' } };
  // By its tokens alone.
  return { condenser: { type: 'amortizedForgetting', maxTokens: truncateTo, maxSize: 1_000_000 } };
}
