import { splitCompound } from './compound.js';

/**
 * How quantities are shown.
 *
 * - `decimals`: digits after the point, at most; default 6.
 * - `trim`: leave trailing zeros out; default true.
 * - `style`: `symbol` (5 km), `name` (5 kilometres); default `symbol`.
 * - `group`: thin spaces between thousands; default false.
 */
const defaults = Object.freeze({ decimals: 6, trim: true, style: 'symbol', group: false });

export function format(quantity, options = {}) {
  const settings = { ...defaults, ...options };
  const number = quantity.in();
  const text = formatNumber(number, settings);
  return quantity.unit === undefined ? text : `${text} ${unitText(quantity.unit, number, settings)}`;
}

/** Shows a quantity in several units: `6 ft 3 in`. Parts that are zero are left out, except when all are. */
export function formatCompound(quantity, units, options = {}) {
  const settings = { ...defaults, decimals: 0, ...options };
  const parts = splitCompound(quantity, units, { decimals: settings.decimals });
  const shown = parts.filter(({ number }) => !number.isZero());
  if (shown.length === 0) shown.push(parts.at(-1));
  return shown
    .map(({ number, unit }, index) => {
      // One sign for the whole: '-6 ft 3 in', not '-6 ft -3 in'.
      const unsigned = index === 0 ? number : number.absolute();
      return `${formatNumber(unsigned, settings)} ${unitText(unit, number, settings)}`;
    })
    .join(' ');
}

export function formatNumber(number, { decimals, trim, group }) {
  const fixed = number.toFixed(decimals);
  const trimmed = trim && fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
  return group ? groupThousands(trimmed) : trimmed;
}

function groupThousands(text) {
  const [whole, decimals] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

function unitText(unit, number, { style }) {
  if (style === 'symbol') return unit.symbol;
  const isOne = number.absolute().toString() === '1';
  return isOne ? unit.name : unit.plural;
}
