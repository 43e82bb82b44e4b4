/** The properties of a model. The server has its own table, so that mistakes in the adapters' table are detected. */
export interface OpenAIModel {
  /** Refuses sampling parameters and `max_tokens`. */
  readonly isReasoning: boolean;
  /**
   * The conditions under which Chat Completions accepts function tools. `any`: at every effort. `when-asked-not-to-reason`: only at effort none,
   * which is not the default. `unless-asked-to-reason`: only at effort none, which is the default. `never`: the model has no
   * effort none.
   */
  readonly chatTools: 'any' | 'unless-asked-to-reason' | 'when-asked-not-to-reason' | 'never';
  /** True if the usage reports the tokens written to the cache. */
  readonly reportsCacheWrites: boolean;
}

const plain: OpenAIModel = { isReasoning: false, chatTools: 'any', reportsCacheWrites: false };
const early: OpenAIModel = { isReasoning: true, chatTools: 'any', reportsCacheWrites: false };
const middle: OpenAIModel = { isReasoning: true, chatTools: 'unless-asked-to-reason', reportsCacheWrites: false };
const late: OpenAIModel = { isReasoning: true, chatTools: 'when-asked-not-to-reason', reportsCacheWrites: true };
const newest: OpenAIModel = { isReasoning: true, chatTools: 'never', reportsCacheWrites: true };

/** The first matching row applies. @see provider-rules B.5 */
const table: readonly (readonly [RegExp, OpenAIModel])[] = [
  [/^gpt-(3|4)/, plain],
  [/^o\d/, early],
  [/^gpt-5\.[45]/, middle],
  [/^gpt-5\.[6-9]/, late],
  [/^gpt-5/, early],
  [/^gpt-6-(sol|luna)/, late],
  [/^gpt-6\.1-terra/, late],
  [/^gpt-/, newest],
];

/**
 * Returns the properties of a model. An unknown `gpt` model counts as the newest. Other names belong to compatible servers and
 * get no model-specific rules.
 */
export function openaiModel(name: string): OpenAIModel {
  return table.find(([pattern]) => pattern.test(name))?.[1] ?? plain;
}
