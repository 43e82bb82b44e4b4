import type { PresetName } from '@palimpsest/condensers';
import { nearName } from '@palimpsest/events';

const presetNames = ['balanced', 'cheapest', 'remembersMost', 'noCache'] as const satisfies readonly PresetName[];

/** A smaller request holds little but a digest. Unit: tokens. */
const leastTokens = 5_000;

/** The options of a user, as far as they can be used. */
export interface UserOptions {
  readonly preset: PresetName | undefined;
  readonly maxTokens: number | undefined;
  /** What cannot be used, in sentences: its default holds. */
  readonly problems: readonly string[];
}

/** Reads what a user has set. What cannot be used leaves its default, and a sentence says so. */
export function userOptions(given: { readonly preset?: unknown; readonly maxTokens?: unknown }): UserOptions {
  const preset = presetNames.find((name) => name === given.preset);
  const size = given.maxTokens === undefined || given.maxTokens === '' ? undefined : Number(given.maxTokens);
  const maxTokens = size !== undefined && size >= leastTokens && size < Infinity ? size : undefined;
  const problems: string[] = [];
  if (given.preset !== undefined && preset === undefined) {
    const near = typeof given.preset === 'string' ? nearName(given.preset, presetNames) : undefined;
    const meant = near === undefined ? '' : ` Did you mean '${near}'?`;
    problems.push(
      `The option preset is ${said(given.preset)}, and has to be one of ${presetNames.join(', ')}.${meant} The default holds.`,
    );
  }
  if (size !== undefined && maxTokens === undefined)
    problems.push(
      `The option maxTokens is ${said(given.maxTokens)}, and has to be a number of tokens from ${leastTokens} on. The default holds.`,
    );
  return { preset, maxTokens, problems };
}

function said(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 40);
}
