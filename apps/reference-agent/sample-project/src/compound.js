import { DimensionError } from './errors.js';
import { Rational } from './rational.js';

/**
 * Splits an amount over several units, the greatest first: 1.9 m is 6 feet and 2.8 inches. All parts but the last are whole;
 * the last one is rounded to `decimals`. The sign stands on every part, so that the parts always add up to the amount.
 *
 * Units may be given in any order. Zero parts are kept: leaving them out is a matter of format.
 */
export function splitCompound(quantity, units, { decimals = 0 } = {}) {
  const ordered = orderUnits(quantity, units);
  const negative = quantity.value.isNegative();
  let rest = quantity.value.absolute();
  return ordered.map((unit, index) => {
    const isLast = index === ordered.length - 1;
    const exact = rest.divide(unit.factor);
    const number = isLast ? exact.round(decimals) : new Rational(exact.floor());
    rest = rest.subtract(number.multiply(unit.factor));
    return { number: negative ? number.negate() : number, unit };
  });
}

/** Adds the parts up again, in base units. */
export function joinCompound(parts) {
  return parts.reduce((sum, { number, unit }) => sum.add(number.multiply(unit.factor)), Rational.zero);
}

function orderUnits(quantity, units) {
  if (units.length === 0) throw new RangeError('a compound needs at least one unit');
  for (const unit of units) {
    if (!unit.dimension.equals(quantity.dimension)) {
      throw new DimensionError('split', quantity.dimension, unit.dimension);
    }
    if (!unit.offset.isZero()) throw new DimensionError('split', quantity.dimension, unit.name);
  }
  const ordered = [...units].sort((left, right) => right.factor.compare(left.factor));
  for (let index = 1; index < ordered.length; index++) {
    if (ordered[index].factor.equals(ordered[index - 1].factor)) {
      throw new RangeError(`the unit '${ordered[index].name}' is given twice`);
    }
  }
  return ordered;
}
