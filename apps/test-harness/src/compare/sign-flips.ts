/** Rates of up to ten trials are whole numbers of it: the least common multiple of 1 to 10. */
const scale = 2_520;

/**
 * Returns the probability that differences at least as far from zero in their sum would arise if each could as well have the other sign: the
 * exact permutation test of pairs, with two sides. Differences of −1, 0 and 1 make it McNemar's exact test. Exact for rates of up to ten
 * trials; others are rounded to a 2,520th.
 *
 * @param differences - between rates: from −1 to 1
 * @see Fisher, "The Design of Experiments" (1935), section 21; Pagano and Tritchler, "On obtaining permutation distributions in polynomial
 * time" (1983), for counting sums in the place of all 2ⁿ signs
 */
export function signFlipProbability(differences: readonly number[]): number {
  const whole = differences
    .map((difference) => Math.round(difference * scale))
    .filter((difference) => difference !== 0);
  if (whole.length === 0) return 1;
  const unit = whole.reduce((divisor, difference) => greatestDivisor(divisor, Math.abs(difference)), 0);
  const sizes = whole.map((difference) => Math.abs(difference) / unit);
  const seen = Math.abs(whole.reduce((sum, difference) => sum + difference, 0)) / unit;
  const all = sizes.reduce((sum, size) => sum + size, 0);
  // The sum of the differences that are negative decides the whole sum: all − 2 × negative. Their probabilities, by that sum.
  const negative = new Float64Array(all + 1);
  negative[0] = 1;
  let reached = 0;
  for (const size of sizes) {
    reached += size;
    for (let sum = reached; sum >= 0; sum--) {
      const before = sum < size ? 0 : (negative[sum - size] ?? 0);
      negative[sum] = ((negative[sum] ?? 0) + before) / 2;
    }
  }
  const isAsFar = (_: number, sum: number): boolean => Math.abs(all - 2 * sum) >= seen;
  return Math.min(
    1,
    negative.filter(isAsFar).reduce((sum, probability) => sum + probability, 0),
  );
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}
