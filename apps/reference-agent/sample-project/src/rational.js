/**
 * Exact fractions of big integers. A conversion factor such as 0.3048 m to the foot has no exact binary value, and three
 * conversions there and back must end where they began; so all arithmetic of this library is done here, and numbers are
 * rounded once, when they are shown.
 */

const ten = 10n;

function gcd(a, b) {
  let x = a < 0n ? -a : a;
  let y = b < 0n ? -b : b;
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

function power(base, exponent) {
  let result = 1n;
  for (let count = 0; count < exponent; count++) result *= base;
  return result;
}

export class Rational {
  /** Always in lowest terms, the sign in the numerator. */
  constructor(numerator, denominator = 1n) {
    if (denominator === 0n) throw new RangeError('division by zero');
    const sign = denominator < 0n ? -1n : 1n;
    const divisor = gcd(numerator, denominator) || 1n;
    this.numerator = (sign * numerator) / divisor;
    this.denominator = (sign * denominator) / divisor;
    Object.freeze(this);
  }

  static zero = new Rational(0n);
  static one = new Rational(1n);

  /**
   * Reads `12`, `-3.75`, `1e-3`, `2/3`, and numbers. A number is taken as the decimal that it prints as, so that `0.1`
   * means one tenth.
   */
  static from(value) {
    if (value instanceof Rational) return value;
    if (typeof value === 'bigint') return new Rational(value);
    if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`not a finite number: ${value}`);
    const text = String(value).trim();
    const fraction = /^([+-]?\d+)\s*\/\s*(\d+)$/.exec(text);
    if (fraction !== null) return new Rational(BigInt(fraction[1]), BigInt(fraction[2]));
    const decimal = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text);
    if (decimal === null || (decimal[2] === '' && (decimal[3] ?? '') === '')) {
      throw new RangeError(`not a number: '${text}'`);
    }
    const [, sign, whole, digits = '', exponent = '0'] = decimal;
    const shift = Number(exponent) - digits.length;
    const unsigned = BigInt(`${whole}${digits}`);
    const numerator = sign === '-' ? -unsigned : unsigned;
    return shift >= 0 ? new Rational(numerator * power(ten, shift)) : new Rational(numerator, power(ten, -shift));
  }

  add(other) {
    return new Rational(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }

  subtract(other) {
    return this.add(other.negate());
  }

  multiply(other) {
    return new Rational(this.numerator * other.numerator, this.denominator * other.denominator);
  }

  divide(other) {
    return new Rational(this.numerator * other.denominator, this.denominator * other.numerator);
  }

  negate() {
    return new Rational(-this.numerator, this.denominator);
  }

  absolute() {
    return this.numerator < 0n ? this.negate() : this;
  }

  /** Whole powers only; a negative one of zero is a division by zero. */
  pow(exponent) {
    const size = Math.abs(exponent);
    const raised = new Rational(power(this.numerator, size), power(this.denominator, size));
    return exponent < 0 ? Rational.one.divide(raised) : raised;
  }

  compare(other) {
    const difference = this.numerator * other.denominator - other.numerator * this.denominator;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  equals(other) {
    return this.numerator === other.numerator && this.denominator === other.denominator;
  }

  isZero() {
    return this.numerator === 0n;
  }

  isNegative() {
    return this.numerator < 0n;
  }

  /** The greatest integer that is not greater. */
  floor() {
    const quotient = this.numerator / this.denominator;
    const exact = quotient * this.denominator === this.numerator;
    return this.numerator < 0n && !exact ? quotient - 1n : quotient;
  }

  /** The nearest integer; a half goes away from zero. */
  nearest() {
    const doubled = this.absolute().multiply(new Rational(2n)).add(Rational.one);
    const size = doubled.divide(new Rational(2n)).floor();
    return this.isNegative() ? -size : size;
  }

  /** The nearest value with so many decimals; a half goes away from zero. */
  round(decimals) {
    const scale = new Rational(power(ten, decimals));
    return new Rational(this.multiply(scale).nearest()).divide(scale);
  }

  /** Decimal text with exactly so many decimals. */
  toFixed(decimals) {
    const scaled = this.absolute()
      .multiply(new Rational(power(ten, decimals)))
      .nearest();
    const digits = scaled.toString().padStart(decimals + 1, '0');
    const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
    return this.isNegative() && scaled !== 0n ? `-${text}` : text;
  }

  toNumber() {
    return Number(this.numerator) / Number(this.denominator);
  }

  toString() {
    return this.denominator === 1n ? `${this.numerator}` : `${this.numerator}/${this.denominator}`;
  }
}
