/** An option of a command line, with its value. */
export interface GivenOption {
  readonly name: string;
  readonly value: string;
}

/** The parameters of a command without some of its options, and those. */
export interface SplitParameters {
  readonly given: readonly GivenOption[];
  readonly others: readonly string[];
}

/**
 * Takes options that have a value out of a command line: `--name VALUE`, `--name=VALUE`, of one letter `-nVALUE` too. What stands behind `--` is
 * no option.
 *
 * @param isTaken - those that it is false for stay. @defaultValue all are taken
 */
export function splitParameters(
  parameters: readonly string[],
  names: readonly string[],
  isTaken: (value: string) => boolean = () => true,
): SplitParameters {
  const given: GivenOption[] = [];
  const others: string[] = [];
  for (let at = 0; at < parameters.length; at++) {
    const parameter = parameters[at] ?? '';
    if (parameter === '--') return { given, others: [...others, ...parameters.slice(at)] };
    const found = optionIn(parameter, parameters[at + 1], names);
    if (found === undefined || !isTaken(found.value)) {
      others.push(parameter);
      continue;
    }
    given.push({ name: found.name, value: found.value });
    if (found.isNext) at++;
  }
  return { given, others };
}

function optionIn(
  parameter: string,
  next: string | undefined,
  names: readonly string[],
): (GivenOption & { readonly isNext: boolean }) | undefined {
  for (const name of names) {
    if (parameter === name) return next === undefined ? undefined : { name, value: next, isNext: true };
    const start = name.startsWith('--') ? `${name}=` : name;
    if (parameter.startsWith(start))
      return { name, value: parameter.slice(start.length).replace(/^=/, ''), isNext: false };
  }
  return undefined;
}
