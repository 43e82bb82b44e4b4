/** Programs that run the program that their arguments name, or that change which program a later name means. */
const launchers = new Set(
  (
    'env xargs sudo doas su nohup nice ionice chrt taskset timeout time stdbuf setsid watch parallel flock strace ltrace gdb ' +
    'chroot unshare nsenter bwrap ssh script busybox toybox systemd-run start-stop-daemon entr ' +
    'exec command builtin eval . source trap alias export readonly declare typeset local hash enable set read ' +
    'npx bunx pnpx uvx pipx'
  ).split(' '),
);

const shells = new Set('sh bash dash zsh ksh mksh ash'.split(' '));

/** Programs that run a program text in another language: behind them a plain word names the script. */
const interpreters = new Set(
  (
    'fish csh tcsh pwsh powershell node nodejs deno bun tsx python perl ruby php lua awk gawk mawk nawk ' +
    'sed gsed ed ex vi vim nvim emacs tclsh expect osascript Rscript julia groovy scala java jshell'
  ).split(' '),
);

/** The name of a program without its folder. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
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
