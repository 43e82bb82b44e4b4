/**
 * The dimension of a quantity: the power of each base dimension. Speed is length to the 1, time to the −1. Powers that are
 * zero are not stored, so two dimensions are equal when their keys are.
 */

const symbols = {
  length: 'L',
  mass: 'M',
  time: 'T',
  temperature: 'Θ',
  data: 'D',
};

export const baseDimensions = Object.freeze(Object.keys(symbols));

export class Dimension {
  constructor(powers = {}) {
    const entries = [];
    for (const base of baseDimensions) {
      const power = powers[base] ?? 0;
      if (!Number.isInteger(power)) throw new RangeError(`the power of ${base} must be whole: ${power}`);
      if (power !== 0) entries.push([base, power]);
    }
    for (const base of Object.keys(powers)) {
      if (!(base in symbols)) throw new RangeError(`unknown base dimension '${base}'`);
    }
    this.powers = Object.freeze(Object.fromEntries(entries));
    this.key = entries.map(([base, power]) => `${symbols[base]}${power}`).join('·');
    Object.freeze(this);
  }

  static none = new Dimension();

  static of(base) {
    return new Dimension({ [base]: 1 });
  }

  multiply(other) {
    return this.#combine(other, 1);
  }

  divide(other) {
    return this.#combine(other, -1);
  }

  pow(exponent) {
    const powers = {};
    for (const [base, power] of Object.entries(this.powers)) powers[base] = power * exponent;
    return new Dimension(powers);
  }

  equals(other) {
    return this.key === other.key;
  }

  isNone() {
    return this.key === '';
  }

  toString() {
    if (this.isNone()) return 'a plain number';
    return Object.entries(this.powers)
      .map(([base, power]) => (power === 1 ? base : `${base}^${power}`))
      .join('·');
  }

  #combine(other, sign) {
    const powers = { ...this.powers };
    for (const [base, power] of Object.entries(other.powers)) powers[base] = (powers[base] ?? 0) + sign * power;
    return new Dimension(powers);
  }
}
