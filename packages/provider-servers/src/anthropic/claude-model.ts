/** What the rules have to know of a model. */
export interface ClaudeModel {
  /** The generation as one number: 4.8 is 4.08, so that 4.10 would come after 4.9. */
  readonly generation: number;
  /** Unit: tokens. */
  readonly contextWindow: number;
  /** Unit: tokens; undefined for a model that is not in the table. */
  readonly maxOutputTokens?: number;
  /** The shortest prefix that is cached; a shorter one is silently not. Unit: tokens. */
  readonly cacheMinimumTokens: number;
  /** Values of `thinking.type` that it takes; anything else is refused. */
  readonly thinkingTypes: readonly string[];
  /** Thinks, or may think, when the request does not say. */
  readonly mayThinkUnasked: boolean;
  /** `enforced`: thinking is bound to what stands before it, and that is checked. `signed`: bound and not checked. */
  readonly binding: 'enforced' | 'signed' | 'none';
  /** Another model is given its thinking. */
  readonly thinkingIsReadableByOthers: boolean;
  readonly acceptsSampling: boolean;
  readonly acceptsForcedTools: boolean;
  readonly acceptsPrefill: boolean;
  readonly acceptsSystemMessages: boolean;
  /** Takes input and output that are together longer than the window, and stops there; older ones refuse the request. */
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

/** A row also holds for dated names that begin with it. Haiku 5.5's minimum is assumed: no page has it. */
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

/** Behaves like the newest generation: what a name that cannot be placed most likely is. */
const newestGeneration = 5.05;

/**
 * The rules' own small model table: rows where numbers differ from model to model, the generation for the rest. A model that
 * is in no row has the behaviour of its generation; one without a generation that of the newest.
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

/** Undefined for a model that cannot be placed. */
function claudeGeneration(model: string): number | undefined {
  const now = /claude-[a-z]+-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(model);
  const before = /claude-(\d)(?:-(\d))?-[a-z]/.exec(model);
  const match = now ?? before;
  return match === null ? undefined : Number(match[1]) + Number(match[2] ?? 0) / 100;
}
