/**
 * Volumes with names of their own; `m^3` and the like come from lengths. The base is the cubic metre. Spoons and cups are
 * the customary ones of the United States; imperial measures carry the word.
 */
export const dimension = { length: 3 };

export const units = [
  {
    name: 'litre',
    plural: 'litres',
    symbols: ['L', 'l'],
    aliases: ['liter', 'liters'],
    factor: '0.001',
    prefixes: 'decimal',
  },
  { name: 'gallon', plural: 'gallons', symbols: ['gal'], aliases: ['US gallon'], factor: '0.003785411784' },
  { name: 'quart', plural: 'quarts', symbols: ['qt'], aliases: [], factor: '0.000946352946' },
  { name: 'pint', plural: 'pints', symbols: [], aliases: ['US pint'], factor: '0.000473176473' },
  { name: 'cup', plural: 'cups', symbols: [], aliases: [], factor: '0.0002365882365' },
  { name: 'fluid ounce', plural: 'fluid ounces', symbols: ['floz'], aliases: ['fl oz'], factor: '0.0000295735295625' },
  { name: 'tablespoon', plural: 'tablespoons', symbols: ['tbsp'], aliases: [], factor: '0.00001478676478125' },
  { name: 'teaspoon', plural: 'teaspoons', symbols: ['tsp'], aliases: [], factor: '0.00000492892159375' },
  { name: 'imperial gallon', plural: 'imperial gallons', symbols: [], aliases: [], factor: '0.00454609' },
  { name: 'imperial pint', plural: 'imperial pints', symbols: [], aliases: [], factor: '0.00056826125' },
  { name: 'barrel', plural: 'barrels', symbols: ['bbl'], aliases: [], factor: '0.158987294928' },
];
