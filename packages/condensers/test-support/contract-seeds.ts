/**
 * Seeds of the generated logs that a condenser meets in its contract: one clean and one dirty for each, and for the third one more,
 * behind the log made for the condenser. The properties beside the contracts meet hundreds of logs. A second engine is told by a
 * variable (`.ci/run`): there it is one seed.
 */
export const contractSeeds: readonly number[] = process.env['PALIMPSEST_BRIEF_RUNS'] === 'true' ? [3] : [2, 5, 3];
