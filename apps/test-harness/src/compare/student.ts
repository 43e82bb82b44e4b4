/**
 * Returns the quantile of Student's distribution, exact to nine digits.
 *
 * @param probability - above 0 and below 1
 * @param degrees - of freedom: a whole number, at least 1
 * @see Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4, for the finite sums of whole degrees
 */
export function studentQuantile(probability: number, degrees: number): number {
  if (probability < 0.5) return -studentQuantile(1 - probability, degrees);
  let [low, high] = [0, 1];
  while (studentProbability(high, degrees) < probability) high *= 2;
  while (high - low > 1e-10 * high) {
    const middle = (low + high) / 2;
    if (studentProbability(middle, degrees) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Returns the probability of a value up to this one, which is not negative. */
function studentProbability(value: number, degrees: number): number {
  const angle = Math.atan(value / Math.sqrt(degrees));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let power = isOdd ? 3 : 2; power < degrees; power += 2) {
    term *= (cosine * cosine * (power - 1)) / power;
    sum += term;
  }
  const within = isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return 0.5 + within / 2;
}
