/**
 * Where a simulated cache takes requests to be marked: where they are; or everywhere where they can be, with no limit to the
 * number of marks and none to looking back: the least that the same requests can cost.
 */
export type CacheMarking = 'as-sent' | 'everywhere';
