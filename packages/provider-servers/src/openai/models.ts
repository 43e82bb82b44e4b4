/** What the server knows of a model: its own table, so that a mistake in the adapters' table shows. */
export interface OpenAIModel {
  /** Refuses sampling parameters and `max_tokens`. */
  readonly isReasoning: boolean;
  /**
   * Function tools on Chat Completions. `any`: at every effort. `when-asked-not-to-reason`: the effort must be none, and is
   * not by default. `unless-asked-to-reason`: the same, but it is by default. `never`: it does not know the effort none.
   */
  readonly chatTools: 'any' | 'unless-asked-to-reason' | 'when-asked-not-to-reason' | 'never';
  /** Reports what it writes to its cache, and how much. */
  readonly reportsCacheWrites: boolean;
}

const plain: OpenAIModel = { isReasoning: false, chatTools: 'any', reportsCacheWrites: false };
const early: OpenAIModel = { isReasoning: true, chatTools: 'any', reportsCacheWrites: false };
const middle: OpenAIModel = { isReasoning: true, chatTools: 'unless-asked-to-reason', reportsCacheWrites: false };
const late: OpenAIModel = { isReasoning: true, chatTools: 'when-asked-not-to-reason', reportsCacheWrites: true };
const newest: OpenAIModel = { isReasoning: true, chatTools: 'never', reportsCacheWrites: true };

/** The first row that fits. @see provider-rules B.5 */
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

/** A `gpt` that is not in the table is the newest; any other name is some compatible server's, of which nothing is known. */
export function openaiModel(name: string): OpenAIModel {
  return table.find(([pattern]) => pattern.test(name))?.[1] ?? plain;
}
