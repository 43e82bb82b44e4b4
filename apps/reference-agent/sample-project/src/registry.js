import { Dimension } from './dimension.js';
import { UnknownUnitError } from './errors.js';
import { binaryPrefixes, decimalPrefixes, prefixAliases } from './prefixes.js';
import { Rational } from './rational.js';
import * as data from './units/data.js';
import * as length from './units/length.js';
import * as mass from './units/mass.js';
import * as temperature from './units/temperature.js';
import * as time from './units/time.js';
import * as volume from './units/volume.js';

/**
 * Finds units by symbol, name, plural or alias, with and without a prefix. Symbols are case-sensitive (`Mm` is not `mm`);
 * names are not. An exact symbol wins over a prefixed one: `min` is a minute, not a milli-inch, and `ft` is no femtotonne.
 */
export class Registry {
  #bySymbol = new Map();
  #byName = new Map();
  #prefixed = new Map();

  constructor(tables = [length, mass, time, temperature, data, volume]) {
    for (const table of tables) this.add(table);
  }

  /** Adds a table: `{ dimension, units }`, as in the files of `units/`. */
  add({ dimension, units }) {
    const own = typeof dimension === 'string' ? Dimension.of(dimension) : new Dimension(dimension);
    for (const definition of units) {
      const unit = Object.freeze({
        name: definition.name,
        plural: definition.plural,
        symbol: definition.symbols[0] ?? definition.name,
        dimension: own,
        factor: Rational.from(definition.factor),
        offset: Rational.from(definition.offset ?? '0'),
        prefixes: definition.prefixes ?? 'none',
      });
      for (const symbol of definition.symbols) this.#put(this.#bySymbol, symbol, unit);
      for (const name of [definition.name, definition.plural, ...definition.aliases]) {
        this.#put(this.#byName, name.toLowerCase(), unit, unit);
      }
    }
  }

  /** @throws {UnknownUnitError} with up to three suggestions */
  find(text) {
    const unit = this.tryFind(text);
    if (unit === undefined) throw new UnknownUnitError(text, this.suggest(text));
    return unit;
  }

  tryFind(text) {
    return this.#bySymbol.get(text) ?? this.#byName.get(text.toLowerCase()) ?? this.#findPrefixed(text);
  }

  /** Names and symbols that are one or two edits away, nearest first. */
  suggest(text) {
    const wanted = text.toLowerCase();
    const candidates = [...this.#bySymbol.keys(), ...this.#byName.keys()]
      .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase()) }))
      .filter(({ name, distance }) => distance <= 2 && distance < name.length)
      .sort((left, right) => left.distance - right.distance || left.name.length - right.name.length);
    return [...new Set(candidates.map(({ name }) => name))].slice(0, 3);
  }

  /** Every unit once, in the order in which the tables were added. */
  list() {
    return [...new Set([...this.#byName.values()])];
  }

  #findPrefixed(text) {
    const known = this.#prefixed.get(text);
    if (known !== undefined) return known;
    for (const prefix of [...decimalPrefixes, ...binaryPrefixes]) {
      const unit = this.#afterSymbol(text, prefix) ?? this.#afterName(text, prefix);
      if (unit === undefined || !takes(unit, prefix)) continue;
      const prefixed = withPrefix(unit, prefix);
      this.#prefixed.set(text, prefixed);
      return prefixed;
    }
    return undefined;
  }

  #afterSymbol(text, prefix) {
    const first = text[0] ?? '';
    const normal = first in prefixAliases ? prefixAliases[first] + text.slice(1) : text;
    return normal.startsWith(prefix.symbol) ? this.#bySymbol.get(normal.slice(prefix.symbol.length)) : undefined;
  }

  #afterName(text, prefix) {
    const lower = text.toLowerCase();
    return lower.startsWith(prefix.name) ? this.#byName.get(lower.slice(prefix.name.length)) : undefined;
  }

  #put(map, key, unit, same) {
    const present = map.get(key);
    if (present !== undefined && present !== same) throw new Error(`two units are called '${key}'`);
    map.set(key, unit);
  }
}

function takes(unit, prefix) {
  if (unit.prefixes === 'both') return true;
  return unit.prefixes === (prefix.base === 2 ? 'binary' : 'decimal');
}

function withPrefix(unit, prefix) {
  return Object.freeze({
    ...unit,
    name: `${prefix.name}${unit.name}`,
    plural: `${prefix.name}${unit.plural}`,
    symbol: `${prefix.symbol}${unit.symbol}`,
    factor: unit.factor.multiply(new Rational(BigInt(prefix.base)).pow(prefix.exponent)),
    prefixes: 'none',
  });
}

function editDistance(left, right) {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const change = left[row - 1] === right[column - 1] ? 0 : 1;
      current[column] = Math.min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + change);
    }
    previous = current;
  }
  return previous[right.length];
}

export const standardRegistry = new Registry();
