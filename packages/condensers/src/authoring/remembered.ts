/**
 * The same function, which remembers what it said of each subject the last time, as long as somebody holds the subject. For pure
 * functions of events, which never change: a condenser that reads the same events at each step need not read them again.
 *
 * @param compute Depends on the subject and on the second argument alone; another second argument is computed anew.
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
