import { ParseError } from './errors.js';
import { standardRegistry } from './registry.js';
import { tokenize } from './tokenizer.js';

/**
 * Reads an expression into a tree:
 *
 *     conversion = sum [ keyword unit-product { 'and' unit-product } ]
 *     sum        = product { ('+' | '-') product }
 *     product    = factor { ('*' | '/') factor }
 *     factor     = [ '-' ] power
 *     power      = atom [ '^' whole number ]
 *     atom       = '(' sum ')' | compound | unit
 *     compound   = number [ unit-product ] { number unit-product }
 *
 * A number and the units after it bind more tightly than any operator, so `6 ft 2 in / 2` halves the whole height and
 * `10 m / 2 s` is a speed.
 */
export function parse(source, registry = standardRegistry) {
  const parser = new Parser(source, tokenize(source), registry);
  return parser.parseConversion();
}

class Parser {
  #source;
  #tokens;
  #registry;
  #position = 0;

  constructor(source, tokens, registry) {
    this.#source = source;
    this.#tokens = tokens;
    this.#registry = registry;
  }

  parseConversion() {
    const value = this.#parseSum();
    if (this.#peek()?.type !== 'keyword') {
      this.#expectEnd();
      return value;
    }
    this.#position += 1;
    const targets = [this.#parseUnitProduct()];
    while (this.#peek()?.text === 'and') {
      this.#position += 1;
      targets.push(this.#parseUnitProduct());
    }
    this.#expectEnd();
    return { type: 'conversion', value, targets };
  }

  #parseSum() {
    let left = this.#parseProduct();
    for (let operator = this.#take('+', '-'); operator !== undefined; operator = this.#take('+', '-')) {
      left = { type: operator === '+' ? 'add' : 'subtract', left, right: this.#parseProduct() };
    }
    return left;
  }

  #parseProduct() {
    let left = this.#parseFactor();
    for (let operator = this.#take('*', '/'); operator !== undefined; operator = this.#take('*', '/')) {
      left = { type: operator === '*' ? 'multiply' : 'divide', left, right: this.#parseFactor() };
    }
    return left;
  }

  #parseFactor() {
    if (this.#take('-') !== undefined) return { type: 'negate', value: this.#parseFactor() };
    return this.#parsePower();
  }

  #parsePower() {
    const base = this.#parseAtom();
    if (this.#take('^') === undefined) return base;
    return { type: 'power', base, exponent: this.#parseExponent() };
  }

  #parseAtom() {
    const token = this.#peek();
    if (token === undefined) throw new ParseError('the expression ends too early', this.#source, this.#source.length);
    if (this.#take('(') !== undefined) {
      const inner = this.#parseSum();
      if (this.#take(')') === undefined) throw this.#unexpected("a ')'");
      return inner;
    }
    if (token.type === 'number') return this.#parseCompound();
    if (token.type === 'unit') return { type: 'quantity', number: '1', units: this.#parseUnitProduct() };
    throw this.#unexpected('a number or a unit');
  }

  #parseCompound() {
    const parts = [this.#parseQuantity()];
    while (this.#peek()?.type === 'number' && parts.at(-1).units.length > 0) parts.push(this.#parseQuantity());
    if (parts.length > 1 && parts.at(-1).units.length === 0) throw this.#unexpected('a unit after the last number');
    return parts.length === 1 ? parts[0] : { type: 'compound', parts };
  }

  #parseQuantity() {
    const number = this.#tokens[this.#position++].text;
    const units = this.#peek()?.type === 'unit' ? this.#parseUnitProduct() : [];
    return { type: 'quantity', number, units };
  }

  /** `kg`, `m^2`, `km/h`: a slash before a unit goes on with the unit, a slash before a number does not. */
  #parseUnitProduct() {
    const units = [this.#parseUnitPower(1)];
    for (;;) {
      const operator = this.#peek()?.text;
      const next = this.#tokens[this.#position + 1];
      if ((operator !== '/' && operator !== '*') || next?.type !== 'unit') return units;
      this.#position += 1;
      units.push(this.#parseUnitPower(operator === '/' ? -1 : 1));
    }
  }

  #parseUnitPower(sign) {
    const unit = this.#parseUnit();
    if (this.#take('^') === undefined) return { unit, power: sign };
    return { unit, power: sign * this.#parseExponent() };
  }

  /** The longest name wins: 'nautical mile' before 'nautical', which is none. */
  #parseUnit() {
    const token = this.#peek();
    if (token?.type !== 'unit') throw this.#unexpected('a unit');
    const next = this.#tokens[this.#position + 1];
    if (next?.type === 'unit') {
      const both = this.#registry.tryFind(`${token.text} ${next.text}`);
      if (both !== undefined) {
        this.#position += 2;
        return both;
      }
    }
    this.#position += 1;
    return this.#registry.find(token.text);
  }

  #parseExponent() {
    const negative = this.#take('-') !== undefined;
    const token = this.#peek();
    if (token?.type !== 'number' || !/^\d+$/.test(token.text)) throw this.#unexpected('a whole number');
    this.#position += 1;
    return negative ? -Number(token.text) : Number(token.text);
  }

  #take(...texts) {
    const token = this.#peek();
    if (token?.type !== 'operator' || !texts.includes(token.text)) return undefined;
    this.#position += 1;
    return token.text;
  }

  #peek() {
    return this.#tokens[this.#position];
  }

  #expectEnd() {
    if (this.#peek() !== undefined) throw this.#unexpected('the end');
  }

  #unexpected(wanted) {
    const token = this.#peek();
    if (token === undefined) return new ParseError(`expected ${wanted}`, this.#source, this.#source.length);
    return new ParseError(`expected ${wanted}, found '${token.text}'`, this.#source, token.offset);
  }
}
