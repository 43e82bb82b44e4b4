/** The unit of all token counts: tokens of the o200k vocabulary. Beside the counter, which takes long to load. */
export const tokenUnit = 'o200k';
