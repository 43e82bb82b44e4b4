/** `gpt-5.4-mini`, and `openai/gpt-5.4-mini` as routers write it. */
const gpt = /^(?:[\w.-]+\/)?gpt-(\d+)(?:\.(\d+))?(?:-|$)/i;
const oSeries = /^(?:[\w.-]+\/)?o\d/i;

function gptVersion(model: string): number | undefined {
  const match = gpt.exec(model);
  if (match === null) return undefined;
  return Number(match[1]) + Number(match[2] ?? 0) / 100;
}

/**
 * Reasoning models refuse `max_tokens`.
 *
 * @see provider-protocol B.3
 */
export function isReasoningModel(model: string): boolean {
  const version = gptVersion(model);
  return oSeries.test(model) || (version !== undefined && version >= 5);
}

/**
 * True where function tools pass on Chat Completions only with `reasoning_effort: 'none'`: from GPT-5.4 on. Those that do not
 * take `none` (GPT-6 Astra, 6.1 Sol, 6.2) are sent the request as it is, and the provider decides.
 *
 * @see provider-protocol B.5, rule B8; models-and-prices 2
 */
export function needsEffortNoneForTools(model: string): boolean {
  const version = gptVersion(model);
  if (version === undefined || version < 5.04) return false;
  const withoutNone = version === 6 ? /-astra/i : version === 6.01 ? /-sol/i : version > 6.01 ? /./ : /(?!)/;
  return !withoutNone.test(model);
}
