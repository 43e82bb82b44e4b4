/**
 * Memoises a function: it keeps the last result of each subject for as long as the subject is referenced. For pure functions of
 * events, which never change: a condenser need not read the same events again at each step.
 *
 * @param compute Depends only on the subject and the second argument. A different second argument recomputes the result.
 */
export function remembered<Subject extends object, Besides, Result>(
  compute: (subject: Subject, besides: Besides) => Result,
): (subject: Subject, besides: Besides) => Result {
  const known = new WeakMap<Subject, { readonly besides: Besides; readonly result: Result }>();
  return (subject, besides) => {
    const found = known.get(subject);
    if (found !== undefined && found.besides === besides) return found.result;
    const result = compute(subject, besides);
    known.set(subject, { besides, result });
    return result;
  };
}
