import pc from 'picocolors';

/** Functions that colour text, or leave it as it is. */
export type Colours = ReturnType<typeof pc.createColors>;

/**
 * Colours for a terminal; plain text for anything else. `FORCE_COLOR` colours for files and pipes too; `NO_COLOR` and a terminal that
 * calls itself `dumb` get plain text. `NO_COLOR` counts more than `FORCE_COLOR`, and an empty variable or a `FORCE_COLOR` of 0 counts
 * as one that is not set.
 *
 * @param env - where the variables are. The default is the environment of the process
 * @see https://no-color.org
 */
export function coloursFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): Colours {
  const isForced = !['', '0', 'false', undefined].includes(env.FORCE_COLOR);
  const isTerminal = stream.isTTY === true && env.TERM !== 'dumb';
  return pc.createColors((env.NO_COLOR ?? '') === '' && (isForced || isTerminal));
}
