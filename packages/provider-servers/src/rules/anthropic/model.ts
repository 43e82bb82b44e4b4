/** The properties of a model that the rules need. */
export interface ClaudeModel {
  /** The generation as a number: 4.8 is 4.08, so that 4.10 sorts after 4.9. */
  readonly generation: number;
  /** Unit: tokens. */
  readonly contextWindow: number;
  /** Unit: tokens; undefined for a model that is not in the table. */
  readonly maxOutputTokens?: number;
  /** The minimum length of a cached prefix. Shorter prefixes are not cached, without an error. Unit: tokens. */
  readonly cacheMinimumTokens: number;
  /** The accepted values of `thinking.type`; other values are refused. */
  readonly thinkingTypes: readonly string[];
  /** True if the model thinks, or may think, when the request does not set `thinking`. */
  readonly mayThinkUnasked: boolean;
  /** `enforced`: thinking is bound to the prompt before it, and the binding is checked. `signed`: bound but not checked. */
  readonly binding: 'enforced' | 'signed' | 'none';
  /** True if other models can read its thinking. */
  readonly thinkingIsReadableByOthers: boolean;
  readonly acceptsSampling: boolean;
  readonly acceptsForcedTools: boolean;
  readonly acceptsPrefill: boolean;
  readonly acceptsSystemMessages: boolean;
  /** True if input plus `max_tokens` may exceed the window; the answer stops at the window. Older models refuse the request. */
  readonly stopsAtWindow: boolean;
  readonly maxImages: number;
}

interface Row {
  readonly window: number;
  readonly output: number;
  readonly cacheMinimum: number;
}

const million = { window: 1_000_000, output: 128_000 };
const small = { window: 200_000, output: 64_000 };

/** A row also applies to dated names that begin with its name. The minimum of Haiku 5.5 is assumed: no page documents it. */
const rows: Readonly<Record<string, Row>> = {
  'claude-fable-5-2': { ...million, cacheMinimum: 512 },
  'claude-fable-5-1': { ...million, cacheMinimum: 512 },
  'claude-fable-5': { ...million, cacheMinimum: 512 },
  'claude-mythos-5-2': { ...million, cacheMinimum: 512 },
  'claude-mythos-5-1': { ...million, cacheMinimum: 512 },
  'claude-mythos-5': { ...million, cacheMinimum: 512 },
  'claude-opus-5-5': { ...million, cacheMinimum: 512 },
  'claude-sonnet-5-5': { ...million, cacheMinimum: 512 },
  'claude-haiku-5-5': { ...million, cacheMinimum: 512 },
  'claude-opus-5': { ...million, cacheMinimum: 512 },
  'claude-sonnet-5': { ...million, cacheMinimum: 1_024 },
  'claude-opus-4-8': { ...million, cacheMinimum: 1_024 },
  'claude-opus-4-7': { ...million, cacheMinimum: 2_048 },
  'claude-opus-4-6': { ...million, cacheMinimum: 4_096 },
  'claude-sonnet-4-6': { ...million, cacheMinimum: 1_024 },
  'claude-opus-4-5': { ...small, cacheMinimum: 4_096 },
  'claude-sonnet-4-5': { ...small, cacheMinimum: 1_024 },
  'claude-haiku-4-5': { ...small, cacheMinimum: 4_096 },
};

/** Unknown names behave like the newest generation, because they are most likely new models. */
const newestGeneration = 5.05;

/**
 * Looks up a model in the rules' own small table. A row holds the numbers that differ between models; the generation
 * determines the rest. A model without a row behaves like its generation. A model without a generation behaves like the
 * newest one.
 *
 * @see provider-rules A.2, A.5, A.6, A.7, A.8
 */
export function claudeModel(model: string): ClaudeModel {
  const generation = claudeGeneration(model) ?? newestGeneration;
  const isLarge = /fable|mythos/.test(model) && generation >= 5;
  const row = rowOf(model);
  const contextWindow = row?.window ?? (generation >= 4.06 ? million.window : small.window);
  const binds = generation >= 5.05 || (isLarge && generation >= 5.01);
  return {
    generation,
    contextWindow,
    ...(row === undefined ? {} : { maxOutputTokens: row.output }),
    cacheMinimumTokens: row?.cacheMinimum ?? (generation >= 5 ? 512 : 1_024),
    thinkingTypes: [
      ...(isLarge ? [] : ['disabled']),
      ...(generation >= 4.06 ? ['adaptive'] : []),
      ...(generation < 4.07 && generation >= 3.07 ? ['enabled'] : []),
    ],
    mayThinkUnasked: generation >= 5,
    binding: !binds ? 'none' : /mythos-5-1/.test(model) ? 'signed' : 'enforced',
    thinkingIsReadableByOthers: /haiku-5-5/.test(model),
    acceptsSampling: generation < 4.07,
    acceptsForcedTools: !(isLarge && generation >= 5.01),
    acceptsPrefill: generation < 4.06,
    acceptsSystemMessages: generation >= 4.08,
    stopsAtWindow: generation >= 4.05,
    maxImages: contextWindow <= 200_000 ? 100 : 600,
  };
}

function rowOf(model: string): Row | undefined {
  const name = Object.keys(rows)
    .filter((prefix) => model.startsWith(prefix) && !/^-\d{1,2}(?!\d)/.test(model.slice(prefix.length)))
    .sort((a, b) => b.length - a.length)[0];
  return name === undefined ? undefined : rows[name];
}

/** Undefined for a model of unknown generation. */
function claudeGeneration(model: string): number | undefined {
  const now = /claude-[a-z]+-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(model);
  const before = /claude-(\d)(?:-(\d))?-[a-z]/.exec(model);
  const match = now ?? before;
  return match === null ? undefined : Number(match[1]) + Number(match[2] ?? 0) / 100;
}
