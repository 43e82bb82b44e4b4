/** The presets of the gateway. */
export const presets = ['balanced', 'cheapest', 'remembersMost', 'noCache'] as const;

/** The values of `--arm`, in words. */
export const armHelp = `none; a preset of the gateway (${presets.join(', ')}); truncation:TOKENS; NAME=URL for another proxy; or a TOML file with a table [[arm]] for each`;

/** The families of tasks, for the help of a command: it loads no generator. */
export const familyNames = [
  'early-constants',
  'rules-once',
  'refactoring',
  'early-log',
  'notes',
  'changes-of-mind',
] as const;

/** The models with a script. */
export const scriptedModels = ['needy', 'forgetful', 'sloppy', 'indifferent'] as const;
