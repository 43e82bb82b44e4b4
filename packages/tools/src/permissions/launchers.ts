/** Programs that run the program that their arguments name, or that change which program a later name means. */
const launchers = new Set(
  (
    'env xargs sudo doas su nohup nice ionice chrt taskset timeout time stdbuf setsid watch parallel flock strace ltrace gdb ' +
    'chroot unshare nsenter bwrap ssh script busybox toybox systemd-run start-stop-daemon entr ' +
    'exec command builtin eval . source trap alias export readonly declare typeset local hash enable set read'
  ).split(' '),
);

const shells = new Set('sh bash dash zsh ksh mksh ash'.split(' '));

/** Programs that run a program text in another language: behind them a plain word names the script. */
const interpreters = new Set(
  (
    'fish csh tcsh pwsh powershell node nodejs deno bun tsx python perl ruby php lua awk gawk mawk nawk ' +
    'sed gsed ed ex vi vim nvim emacs tclsh expect osascript rscript julia groovy scala java jshell'
  ).split(' '),
);

/** Programs that run the program that the next word names, such as `npx vitest`; with a subcommand, such as `npm exec vitest`. */
const runners = new Map<string, ReadonlySet<string>>(
  Object.entries({
    ...{ npx: '', bunx: '', pnpx: '', uvx: '', pipx: 'run' },
    ...{
      npm: 'exec x init create innit',
      pnpm: 'exec dlx create',
      yarn: 'exec dlx create',
      bun: 'x create',
      corepack: 'npm pnpm yarn',
    },
    ...{
      uv: 'run',
      poetry: 'run',
      pipenv: 'run',
      rye: 'run',
      hatch: 'run',
      pdm: 'run',
      bundle: 'exec',
      mise: 'exec x',
    },
    ...{ docker: 'run exec', podman: 'run exec', kubectl: 'exec run', flatpak: 'run', nix: 'run shell develop' },
  }).map(([name, subcommands]) => [name, new Set(subcommands.split(' ').filter((one) => one !== ''))]),
);

/** How many words stand before the program that a command runs by its name, such as 2 of `npm exec`; 0 if it runs none so. */
export function wordsOfRunner([program = '', next = '']: readonly string[]): number {
  const subcommands = runners.get(baseName(program));
  if (subcommands === undefined) return 0;
  return subcommands.size === 0 ? 1 : subcommands.has(next) ? 2 : 0;
}

/** The name of a program without its folder, in small letters: some file systems do not tell cases apart. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1).toLowerCase();
}

/** Whether the program runs programs that its arguments name. */
export function isLauncher(program: string): boolean {
  return launchers.has(baseName(program));
}

/** Whether the program runs a program text: a shell, or for instance `python3.12`. */
export function isInterpreter(program: string): boolean {
  return isShell(program) || interpreters.has(baseName(program).replace(/[-.\d]+$/, ''));
}

/** Whether the program text is one of a POSIX shell. */
export function isShell(program: string): boolean {
  return shells.has(baseName(program));
}
