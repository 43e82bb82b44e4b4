/** Unit: milliseconds. */
const units: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
};

/**
 * A duration as Go writes it (`6m0s`, `1.5s`, `12ms`), or plain seconds, in milliseconds; undefined for any other text and for
 * values that are not positive (Azure sends -1 and 0).
 *
 * @see provider-rules B.1
 */
export function goDurationMs(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return positive(Number(text) * 1_000);
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)) {
    sum += Number(amount) * (units[unit ?? ''] ?? 0);
  }
  return positive(Math.ceil(sum));
}

/**
 * The time until the exceeded limit is reset, for an error that does not say how long to wait. The limit is that of requests or
 * of tokens, whichever is used up or is named by the error's type. Unit: milliseconds.
 */
export function resetAfterMs(headers: unknown, codes: readonly string[]): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const resets = ['requests', 'tokens'].flatMap((unit) => {
    const remaining = headers.get(`x-ratelimit-remaining-${unit}`);
    const isUsedUp = remaining !== null && /^0+$/.test(remaining);
    const reset =
      isUsedUp || codes.includes(unit) ? goDurationMs(headers.get(`x-ratelimit-reset-${unit}`) ?? '') : undefined;
    return reset === undefined ? [] : [reset];
  });
  return resets.length === 0 ? undefined : Math.max(...resets);
}

function positive(milliseconds: number): number | undefined {
  return milliseconds > 0 ? milliseconds : undefined;
}
