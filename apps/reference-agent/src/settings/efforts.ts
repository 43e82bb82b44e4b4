/** The values of `effort`. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
/** How much a model thinks. */
export type Effort = (typeof efforts)[number];
