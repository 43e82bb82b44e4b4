/**
 * Times. The base unit is the second. A day has 86,400 seconds here and a year is the Julian one of 365.25 days: this
 * library converts durations, and knows neither leap seconds nor calendars.
 */
export const dimension = 'time';

export const units = [
  { name: 'second', plural: 'seconds', symbols: ['s', 'sec'], aliases: [], factor: '1', prefixes: 'decimal' },
  { name: 'minute', plural: 'minutes', symbols: ['min'], aliases: [], factor: '60' },
  { name: 'hour', plural: 'hours', symbols: ['h', 'hr'], aliases: [], factor: '3600' },
  { name: 'day', plural: 'days', symbols: ['d'], aliases: [], factor: '86400' },
  { name: 'week', plural: 'weeks', symbols: ['wk'], aliases: [], factor: '604800' },
  { name: 'fortnight', plural: 'fortnights', symbols: [], aliases: [], factor: '1209600' },
  { name: 'year', plural: 'years', symbols: ['yr'], aliases: ['Julian year', 'Julian years'], factor: '31557600' },
  { name: 'decade', plural: 'decades', symbols: [], aliases: [], factor: '315576000' },
  { name: 'century', plural: 'centuries', symbols: [], aliases: [], factor: '3155760000' },
];
