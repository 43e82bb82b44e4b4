/** The values of `effort`. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
/** The amount of thinking of a model. */
export type Effort = (typeof efforts)[number];
