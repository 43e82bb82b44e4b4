/**
 * How many of so many generated cases a property is tried on, or how much at least was seen in them. `npm test` meets the first
 * tenth of the cases, CI's thorough run all: `.ci/run`.
 */
export const fewer = (count: number): number =>
  process.env['PALIMPSEST_THOROUGH'] === 'true' ? count : Math.ceil(count / 10);
