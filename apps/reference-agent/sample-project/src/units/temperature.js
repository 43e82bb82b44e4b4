/**
 * Temperatures. The base unit is the kelvin. Celsius and Fahrenheit have an offset: value in kelvin = (value + offset) ×
 * factor. A unit with an offset can be converted, and cannot be multiplied or raised to a power.
 */
export const dimension = 'temperature';

export const units = [
  { name: 'kelvin', plural: 'kelvins', symbols: ['K'], aliases: [], factor: '1', prefixes: 'decimal' },
  {
    name: 'degree Celsius',
    plural: 'degrees Celsius',
    symbols: ['°C', 'degC'],
    aliases: ['celsius'],
    factor: '1',
    offset: '273.15',
  },
  {
    name: 'degree Fahrenheit',
    plural: 'degrees Fahrenheit',
    symbols: ['°F', 'degF'],
    aliases: ['fahrenheit'],
    factor: '5/9',
    offset: '459.67',
  },
  { name: 'degree Rankine', plural: 'degrees Rankine', symbols: ['°R', 'degR'], aliases: ['rankine'], factor: '5/9' },
];
