import { combineUnits } from './convert.js';
import { Dimension } from './dimension.js';
import { DimensionError } from './errors.js';
import { parse } from './parser.js';
import { Quantity } from './quantity.js';
import { Rational } from './rational.js';

/**
 * Evaluates an expression: `evaluate('6 ft 2 in to cm')`. The result is a {@link Quantity}; with several targets
 * (`to ft and in`) it is the quantity and the list of its target units, for `formatCompound`.
 */
export function evaluate(source, registry) {
  return evaluateTree(parse(source, registry));
}

function evaluateTree(tree) {
  switch (tree.type) {
    case 'quantity':
      return quantityOf(tree);
    case 'compound':
      return compoundOf(tree.parts);
    case 'negate':
      return evaluateTree(tree.value).negate();
    case 'add':
      return evaluateTree(tree.left).add(evaluateTree(tree.right));
    case 'subtract':
      return evaluateTree(tree.left).subtract(evaluateTree(tree.right));
    case 'multiply':
      return evaluateTree(tree.left).multiply(evaluateTree(tree.right));
    case 'divide':
      return evaluateTree(tree.left).divide(evaluateTree(tree.right));
    case 'power':
      return evaluateTree(tree.base).pow(tree.exponent);
    case 'conversion':
      return conversionOf(tree);
    default:
      throw new TypeError(`unknown node '${tree.type}'`);
  }
}

function quantityOf({ number, units }) {
  if (units.length === 0) return Quantity.plain(number);
  return Quantity.of(number, unitOf(units));
}

/** The parts of `6 ft 2 in` are added; they must agree, and be written from the greatest unit to the smallest. */
function compoundOf(parts) {
  const quantities = parts.map(quantityOf);
  for (let index = 1; index < quantities.length; index++) {
    const larger = quantities[index - 1];
    const smaller = quantities[index];
    if (!larger.dimension.equals(smaller.dimension)) {
      throw new DimensionError('put together', larger.dimension, smaller.dimension);
    }
    if (larger.unit.factor.compare(smaller.unit.factor) <= 0) {
      throw new DimensionError('put together in this order', larger.unit.plural, smaller.unit.plural);
    }
  }
  return quantities.reduce((sum, quantity) => sum.add(quantity));
}

function conversionOf({ value, targets }) {
  const units = targets.map(unitOf);
  const quantity = evaluateTree(value).to(units[0]);
  return units.length === 1 ? quantity : { quantity, units };
}

function unitOf(parts) {
  if (parts.length === 1 && parts[0].power === 1) return parts[0].unit;
  const { dimension, factor } = combineUnits(parts, { dimension: Dimension.none, factor: Rational.one });
  const symbol = productSymbol(parts);
  return Object.freeze({
    name: symbol,
    plural: symbol,
    symbol,
    dimension,
    factor,
    offset: Rational.zero,
    prefixes: 'none',
  });
}

function productSymbol(parts) {
  const show = ({ unit, power }) => (Math.abs(power) === 1 ? unit.symbol : `${unit.symbol}^${Math.abs(power)}`);
  const above = parts.filter(({ power }) => power > 0).map(show);
  const below = parts.filter(({ power }) => power < 0).map(show);
  return [above.join('*') || '1', ...below].join('/');
}
