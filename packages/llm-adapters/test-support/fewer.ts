/**
 * Returns on how many of so many generated cases a property is tried, or how much at least was seen in them. `npm test` meets the
 * first fifth of the cases, CI's thorough run all: `.ci/run`.
 */
export const fewer = (count: number): number =>
  process.env['PALIMPSEST_THOROUGH'] === 'true' ? count : Math.ceil(count / 5);
