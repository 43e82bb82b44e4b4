/**
 * Lengths. The base unit is the metre. The foot is the international one, 0.3048 m exactly since 1959; the older survey
 * foot differs in the sixth digit and has a name of its own.
 */
export const dimension = 'length';

export const units = [
  { name: 'metre', plural: 'metres', symbols: ['m'], aliases: ['meter', 'meters'], factor: '1', prefixes: 'decimal' },
  { name: 'inch', plural: 'inches', symbols: ['in', '″'], aliases: [], factor: '0.0254' },
  { name: 'foot', plural: 'feet', symbols: ['ft', '′'], aliases: [], factor: '0.3048' },
  { name: 'yard', plural: 'yards', symbols: ['yd'], aliases: [], factor: '0.9144' },
  { name: 'mile', plural: 'miles', symbols: ['mi'], aliases: ['statute mile'], factor: '1609.344' },
  { name: 'nautical mile', plural: 'nautical miles', symbols: ['nmi', 'NM'], aliases: [], factor: '1852' },
  { name: 'fathom', plural: 'fathoms', symbols: ['ftm'], aliases: [], factor: '1.8288' },
  { name: 'cable', plural: 'cables', symbols: [], aliases: ['cable length'], factor: '185.2' },
  { name: 'furlong', plural: 'furlongs', symbols: ['fur'], aliases: [], factor: '201.168' },
  { name: 'chain', plural: 'chains', symbols: ['ch'], aliases: [], factor: '20.1168' },
  { name: 'rod', plural: 'rods', symbols: ['rd'], aliases: ['perch', 'pole'], factor: '5.0292' },
  { name: 'link', plural: 'links', symbols: ['li'], aliases: [], factor: '0.201168' },
  { name: 'hand', plural: 'hands', symbols: ['hh'], aliases: [], factor: '0.1016' },
  { name: 'thou', plural: 'thou', symbols: ['thou'], aliases: ['mil', 'mils'], factor: '0.0000254' },
  { name: 'survey foot', plural: 'survey feet', symbols: ['ftUS'], aliases: [], factor: '1200/3937' },
  { name: 'league', plural: 'leagues', symbols: ['lea'], aliases: [], factor: '4828.032' },
  { name: 'point', plural: 'points', symbols: ['pt'], aliases: ['typographic point'], factor: '127/360000' },
  { name: 'pica', plural: 'picas', symbols: [], aliases: [], factor: '127/30000' },
  { name: 'ångström', plural: 'ångströms', symbols: ['Å'], aliases: ['angstrom', 'angstroms'], factor: '1e-10' },
  { name: 'astronomical unit', plural: 'astronomical units', symbols: ['au'], aliases: [], factor: '149597870700' },
  {
    name: 'light-year',
    plural: 'light-years',
    symbols: ['ly'],
    aliases: ['light year', 'light years'],
    factor: '9460730472580800',
  },
];
