export { evaluate } from './evaluate.js';
export { parse } from './parser.js';
export { format, formatCompound } from './format.js';
export { joinCompound, splitCompound } from './compound.js';
export { Quantity } from './quantity.js';
export { Rational } from './rational.js';
export { Dimension } from './dimension.js';
export { Registry, standardRegistry } from './registry.js';
export { DimensionError, ParseError, UnknownUnitError, YardstickError } from './errors.js';
