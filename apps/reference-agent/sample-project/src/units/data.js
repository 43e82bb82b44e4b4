/** Amounts of data. The base unit is the bit. Both families of prefixes are taken: 1 kB is 1000 bytes, 1 KiB is 1024. */
export const dimension = 'data';

export const units = [
  { name: 'bit', plural: 'bits', symbols: ['bit'], aliases: [], factor: '1', prefixes: 'both' },
  { name: 'byte', plural: 'bytes', symbols: ['B'], aliases: ['octet', 'octets'], factor: '8', prefixes: 'both' },
  { name: 'nibble', plural: 'nibbles', symbols: [], aliases: [], factor: '4' },
];
