/**
 * Prefixes, longest symbol first, so that `da` is tried before `d`. A unit says which of the two families it takes.
 */

const decimal = [
  ['quetta', 'Q', 30],
  ['ronna', 'R', 27],
  ['yotta', 'Y', 24],
  ['zetta', 'Z', 21],
  ['exa', 'E', 18],
  ['peta', 'P', 15],
  ['tera', 'T', 12],
  ['giga', 'G', 9],
  ['mega', 'M', 6],
  ['kilo', 'k', 3],
  ['hecto', 'h', 2],
  ['deca', 'da', 1],
  ['deci', 'd', -1],
  ['centi', 'c', -2],
  ['milli', 'm', -3],
  ['micro', 'µ', -6],
  ['nano', 'n', -9],
  ['pico', 'p', -12],
  ['femto', 'f', -15],
  ['atto', 'a', -18],
  ['zepto', 'z', -21],
  ['yocto', 'y', -24],
  ['ronto', 'r', -27],
  ['quecto', 'q', -30],
].map(([name, symbol, exponent]) => ({ name, symbol, base: 10, exponent }));

const binary = [
  ['yobi', 'Yi', 80],
  ['zebi', 'Zi', 70],
  ['exbi', 'Ei', 60],
  ['pebi', 'Pi', 50],
  ['tebi', 'Ti', 40],
  ['gibi', 'Gi', 30],
  ['mebi', 'Mi', 20],
  ['kibi', 'Ki', 10],
].map(([name, symbol, exponent]) => ({ name, symbol, base: 2, exponent }));

const bySymbolLength = (left, right) => right.symbol.length - left.symbol.length;

export const decimalPrefixes = Object.freeze([...decimal].sort(bySymbolLength));
export const binaryPrefixes = Object.freeze([...binary].sort(bySymbolLength));

/** Keyboards have a `u` and no `µ`; there are also two code points that look like one. */
export const prefixAliases = Object.freeze({ u: 'µ', μ: 'µ' });
