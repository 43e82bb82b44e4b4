/**
 * Masses. The base unit is the kilogram, which has a prefix of its own; prefixes go on the gram. The pound is the
 * international avoirdupois one; ounces and grains follow from it, troy units from the grain.
 */
export const dimension = 'mass';

export const units = [
  {
    name: 'gram',
    plural: 'grams',
    symbols: ['g'],
    aliases: ['gramme', 'grammes'],
    factor: '0.001',
    prefixes: 'decimal',
  },
  { name: 'tonne', plural: 'tonnes', symbols: ['t'], aliases: ['metric ton', 'metric tons'], factor: '1000' },
  { name: 'pound', plural: 'pounds', symbols: ['lb', 'lbs'], aliases: [], factor: '0.45359237' },
  { name: 'ounce', plural: 'ounces', symbols: ['oz'], aliases: [], factor: '0.028349523125' },
  { name: 'stone', plural: 'stone', symbols: ['st'], aliases: ['stones'], factor: '6.35029318' },
  { name: 'hundredweight', plural: 'hundredweight', symbols: ['cwt'], aliases: [], factor: '50.80234544' },
  { name: 'long ton', plural: 'long tons', symbols: [], aliases: ['imperial ton'], factor: '1016.0469088' },
  { name: 'short ton', plural: 'short tons', symbols: [], aliases: ['US ton'], factor: '907.18474' },
  { name: 'grain', plural: 'grains', symbols: ['gr'], aliases: [], factor: '0.00006479891' },
  { name: 'dram', plural: 'drams', symbols: ['dr'], aliases: [], factor: '0.0017718451953125' },
  { name: 'troy ounce', plural: 'troy ounces', symbols: ['ozt'], aliases: [], factor: '0.0311034768' },
  { name: 'troy pound', plural: 'troy pounds', symbols: ['lbt'], aliases: [], factor: '0.3732417216' },
  { name: 'pennyweight', plural: 'pennyweights', symbols: ['dwt'], aliases: [], factor: '0.00155517384' },
  { name: 'carat', plural: 'carats', symbols: ['ct'], aliases: ['metric carat'], factor: '0.0002' },
];
