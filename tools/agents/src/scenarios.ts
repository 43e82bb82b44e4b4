import type { Way } from './host.js';
import type { Act, Need, Step, Trouble } from './model.js';
import { errandPrompt } from './model.js';
import { partName, pictureName, taskMark } from './place.js';

/** One start of the agent. */
export interface Invocation {
  /** A prompt, or the host's own command that compacts. */
  readonly does: 'prompt' | 'compact';
  readonly steps: readonly Step[];
  /** Ends after a condensation, so that the next start meets it. The steps that are left go to starts after it. @defaultValue false */
  readonly endsAtCondensation?: boolean | undefined;
  /** @defaultValue as the scenario's way says */
  readonly withoutPlugin?: boolean | undefined;
  /** With the other model of the host. @defaultValue false */
  readonly hasOtherModel?: boolean | undefined;
  /** With another key of the provider. @defaultValue false */
  readonly hasOtherKey?: boolean | undefined;
}

/** One thing to try. */
export interface Scenario {
  readonly name: string;
  readonly invocations: readonly Invocation[];
  /** A fault that is built into the plugin. @defaultValue none */
  readonly fault?: 'throws' | 'hangs' | 'loops' | 'nonsense' | undefined;
  /** @defaultValue `none` */
  readonly need?: Need | undefined;
  /** @defaultValue the plugin */
  readonly way?: Way | undefined;
  /** The least condensations of a run with the plugin or the gateway. @defaultValue 0 */
  readonly condensations?: number | undefined;
  readonly needsSubAgents?: boolean | undefined;
  /** What is saved is compared with that of a run without the plugin. @defaultValue false */
  readonly comparesSaved?: boolean | undefined;
  /** Requests that the script has refused. @defaultValue 0 */
  readonly refusals?: number | undefined;
  /** The user's base URL stands in the host's settings. @defaultValue false */
  readonly hasUrlInSettings?: boolean | undefined;
  /** The abilities that only some hosts have. @defaultValue nothing */
  readonly needs?: 'tool search' | 'documents' | 'key helper' | undefined;
  /** The provider is behind a proxy, and speaks TLS. @defaultValue false */
  readonly isProxied?: boolean | undefined;
}

export const firstPrompt = `${taskMark}: find out why invoices are rounded twice. Read the parts one by one.`;
export const nextPrompt = 'Go on.';

/** Returns steps that read files, with two calls in every third. Each fifth needs what was read eighteen steps before. */
export function reading(
  count: number,
  from = 0,
  special: (step: number) => Partial<Step> | undefined = () => undefined,
): readonly Step[] {
  return Array.from({ length: count }, (_, index): Step => {
    const step = from + index;
    const acts: readonly Act[] = Array.from({ length: step % 3 === 2 ? 2 : 1 }, (_, call) => ({
      act: 'read',
      file: partName(step + call * 20),
    }));
    const needs = step >= 18 && step % 5 === 0 ? step - 18 : undefined;
    return { acts, needs, ...special(step) };
  });
}

export const picturesAt = (step: number): Partial<Step> | undefined =>
  step % 8 === 5 ? { acts: [{ act: 'read', file: pictureName(Math.floor(step / 8)) }] } : undefined;

const troubles: Readonly<Record<number, Trouble>> = {
  6: 'overloaded',
  12: 'server-error',
  30: 'overloaded',
  42: 'stream-error',
};

const troubleAt = (step: number): Partial<Step> | undefined => {
  const trouble = troubles[step];
  if (trouble !== undefined) return { trouble };
  return step % 9 === 4 ? { acts: [{ act: 'read', file: `missing-${step}.ts` }] } : undefined;
};

export const errandsAt = (step: number): Partial<Step> | undefined =>
  step % 15 === 7 ? { acts: [{ act: 'delegate', errand: errandPrompt(step) }] } : undefined;

export const long = 75;
export const once = (steps: readonly Step[]): readonly Invocation[] => [{ does: 'prompt', steps }];

/** The scenarios of hosts with a plugin. */
export const scenarios: readonly Scenario[] = [
  { name: 'long', invocations: once(reading(long)), condensations: 3, comparesSaved: true },
  { name: 'sub-agents', invocations: once(reading(60, 0, errandsAt)), condensations: 1, needsSubAgents: true },
  { name: 'images', invocations: once(reading(60, 0, picturesAt)), condensations: 1 },
  { name: 'errors', invocations: once(reading(60, 0, troubleAt)), condensations: 1, refusals: 4 },
  {
    name: 'overflow',
    invocations: once(reading(60, 0, (step) => (step >= 25 ? { trouble: 'too-long' } : undefined))),
    refusals: 1,
  },
  {
    name: 'restart',
    invocations: [{ does: 'prompt', steps: reading(long), endsAtCondensation: true }],
    condensations: 3,
  },
  {
    name: 'compact',
    invocations: [
      { does: 'prompt', steps: reading(25) },
      { does: 'compact', steps: [] },
      { does: 'prompt', steps: reading(25, 25) },
    ],
  },
  ...(['throws', 'hangs', 'loops', 'nonsense'] as const).map((fault): Scenario => ({
    name: fault,
    fault,
    invocations: once(reading(50)),
  })),
  {
    name: 'switched-off',
    invocations: [
      { does: 'prompt', steps: reading(40) },
      { does: 'prompt', steps: reading(8, 40), withoutPlugin: true },
      { does: 'prompt', steps: reading(12, 48) },
    ],
    condensations: 1,
  },
  ...(['none', 'own', 'plugin'] as const).flatMap((way): readonly Scenario[] => [
    { name: `bill-${way}`, way, invocations: once(reading(long)) },
    { name: `bill-needy-${way}`, way, invocations: once(reading(long)), need: 'exact' },
  ]),
];
