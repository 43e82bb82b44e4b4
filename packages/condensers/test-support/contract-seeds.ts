/**
 * Seeds of the generated logs that a condenser meets in its contract: one clean and one dirty for each, and for the third one more,
 * behind the log made for the condenser. The properties beside the contracts meet hundreds of logs. `npm test` takes one seed,
 * CI's thorough run all (`.ci/run`).
 */
export const contractSeeds: readonly number[] = process.env['PALIMPSEST_THOROUGH'] === 'true' ? [2, 5, 3] : [3];
