import { convertFromBase, convertToBase } from './convert.js';
import { Dimension } from './dimension.js';
import { DimensionError } from './errors.js';
import { Rational } from './rational.js';

/**
 * An amount with a dimension: an exact value in base units, and the unit in which it was written. Immutable; every
 * operation returns a new one.
 */
export class Quantity {
  constructor(value, dimension, unit) {
    this.value = value;
    this.dimension = dimension;
    this.unit = unit;
    Object.freeze(this);
  }

  /** `Quantity.of('3.5', unit)`; the number may be text, a number or a rational. */
  static of(number, unit) {
    return new Quantity(convertToBase(Rational.from(number), unit), unit.dimension, unit);
  }

  /** A number without a unit. */
  static plain(number) {
    return new Quantity(Rational.from(number), Dimension.none, undefined);
  }

  add(other) {
    this.#mustMatch(other, 'add');
    return this.#with(this.value.add(other.value));
  }

  subtract(other) {
    this.#mustMatch(other, 'subtract');
    return this.#with(this.value.subtract(other.value));
  }

  multiply(other) {
    mustScale(this, 'multiply');
    mustScale(other, 'multiply');
    const dimension = this.dimension.multiply(other.dimension);
    const unit = other.dimension.isNone() ? this.unit : this.dimension.isNone() ? other.unit : undefined;
    return new Quantity(this.value.multiply(other.value), dimension, unit);
  }

  divide(other) {
    mustScale(this, 'divide');
    mustScale(other, 'divide');
    const dimension = this.dimension.divide(other.dimension);
    return new Quantity(this.value.divide(other.value), dimension, other.dimension.isNone() ? this.unit : undefined);
  }

  pow(exponent) {
    mustScale(this, 'raise');
    return new Quantity(this.value.pow(exponent), this.dimension.pow(exponent), exponent === 1 ? this.unit : undefined);
  }

  negate() {
    return this.#with(this.value.negate());
  }

  /** The same amount, to be shown in another unit. */
  to(unit) {
    if (!this.dimension.equals(unit.dimension)) throw new DimensionError('convert', this.dimension, unit.dimension);
    return new Quantity(this.value, this.dimension, unit);
  }

  /** The number that stands before the unit, exact. */
  in(unit = this.unit) {
    if (unit === undefined) return this.value;
    if (!this.dimension.equals(unit.dimension)) throw new DimensionError('convert', this.dimension, unit.dimension);
    return convertFromBase(this.value, unit);
  }

  compare(other) {
    this.#mustMatch(other, 'compare');
    return this.value.compare(other.value);
  }

  equals(other) {
    return this.dimension.equals(other.dimension) && this.value.equals(other.value);
  }

  #with(value) {
    return new Quantity(value, this.dimension, this.unit);
  }

  #mustMatch(other, operation) {
    if (!this.dimension.equals(other.dimension)) throw new DimensionError(operation, this.dimension, other.dimension);
  }
}

/** 20 °C times two is not 40 °C: a scale with an offset has no zero to multiply from. */
function mustScale(quantity, operation) {
  if (quantity.unit !== undefined && !quantity.unit.offset.isZero()) {
    throw new DimensionError(operation, quantity.unit.name, 'another quantity');
  }
}
