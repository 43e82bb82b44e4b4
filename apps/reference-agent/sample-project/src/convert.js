/**
 * Between a unit and the base units of its dimension. A unit is a straight line: base = (number + offset) × factor. For all
 * but the temperatures the offset is zero.
 */

export function convertToBase(number, unit) {
  return number.add(unit.offset).multiply(unit.factor);
}

export function convertFromBase(value, unit) {
  return value.divide(unit.factor).subtract(unit.offset);
}

/** The factor of a product of units, such as km/h, and its dimension. Offsets have no meaning in a product. */
export function combineUnits(parts, { dimension, factor }) {
  let combinedDimension = dimension;
  let combinedFactor = factor;
  for (const { unit, power } of parts) {
    combinedDimension = combinedDimension.multiply(unit.dimension.pow(power));
    combinedFactor = combinedFactor.multiply(unit.factor.pow(power));
  }
  return { dimension: combinedDimension, factor: combinedFactor };
}
