/**
 * The cache marks that a simulated cache assumes. `as-sent`: the marks of the request. `everywhere`: a mark at every possible
 * place, without limits on the number of marks or on lookback; this gives the lowest possible cost of the same requests.
 */
export type CacheMarking = 'as-sent' | 'everywhere';
