/** A word of a command, cut at its wildcards: `test:*` is `['test:', '']`. A word without a wildcard is one piece. */
export type Word = readonly string[];

/** A program with its arguments: words that a shell does not expand. */
export type SimpleCommand = readonly Word[];

/**
 * Signs that no POSIX shell treats as special, wherever in a word they stand. Other letters than these are not among them: a
 * shell reads bytes, and some locales call one of their bytes a blank.
 */
const plain = /[A-Za-z0-9_@%+=:,./^-]/;
/** Redirections that touch no file. */
const harmlessRedirection = /^(?:2>&1|1?>&2|[12]?> ?\/dev\/null|< ?\/dev\/null)(?=[ \t\n;|&]|$)/;
const separator = /^(?:&&|\|\||[;|\n])/;
/** Words that begin a construct, or that a shell treats as such in front of a command. */
const reserved = new Set(
  'if then else elif fi do done case esac while until for in select function time coproc { } ! [[ ]]'.split(' '),
);
const programName = /^[A-Za-z0-9_./@][^=]*$/;
/** Line breaks and tabs are text inside quotes; other control characters are shown by no terminal. */
const control = /[\u0000-\u0008\u000B-\u001F\u007F]/;

/** A longer text is no command that a rule was written for, and takes time to compare. Unit: characters. */
const maxLength = 10_000;
/** Unit: words. */
const maxWords = 500;

/**
 * Returns the simple commands that a shell command consists of, joined by `&&`, `||`, `;`, `|` or line breaks. Undefined when
 * any part of it is not certain: substitution, expansion, redirection to a file, a variable, a glob, a comment, a background
 * job, a construct, an assignment, an escape, more than 500 words or 10,000 characters. Of redirections only those that touch
 * no file are understood, such as `2>&1`.
 */
export function simpleCommands(
  text: string,
  options?: { readonly wildcards: boolean },
): readonly SimpleCommand[] | undefined {
  if (text.length > maxLength || control.test(text)) return undefined;
  const commands: SimpleCommand[] = [];
  let words: Word[] = [];
  let rest = text.replace(/[ \t\n]+$/, '').replace(/^[ \t\n]+/, '');
  let needsCommand = true;
  while (rest !== '') {
    const joint = separator.exec(rest)?.[0];
    const redirection = harmlessRedirection.exec(rest)?.[0];
    if (/^[ \t]/.test(rest)) {
      rest = rest.slice(1);
    } else if (joint !== undefined) {
      rest = rest.slice(joint.length);
      const isEmptyLine = joint === '\n' && words.length === 0;
      if (isEmptyLine) continue;
      if (!isCommand(words)) return undefined;
      commands.push(words);
      words = [];
      needsCommand = joint !== ';' && joint !== '\n';
    } else if (redirection !== undefined) {
      rest = rest.slice(redirection.length);
    } else {
      const read = readWord(rest, options?.wildcards === true);
      if (read === undefined) return undefined;
      words.push(read.word);
      if (words.length > maxWords) return undefined;
      rest = read.rest;
    }
  }
  if (words.length === 0) return needsCommand ? undefined : commands;
  if (!isCommand(words)) return undefined;
  return [...commands, words];
}

function isCommand(words: readonly Word[]): boolean {
  const [program] = words;
  if (program === undefined || program.length > 1) return false;
  const [name = ''] = program;
  return programName.test(name) && !reserved.has(name);
}

function readWord(text: string, wildcards: boolean): { readonly word: Word; readonly rest: string } | undefined {
  const pieces = [''];
  const add = (more: string): void => void (pieces[pieces.length - 1] += more);
  let index = 0;
  while (index < text.length) {
    const sign = text[index] as string;
    if (sign === "'" || sign === '"') {
      const end = text.indexOf(sign, index + 1);
      const quoted = text.slice(index + 1, end);
      // In double quotes a shell still reads these.
      if (end < 0 || (sign === '"' && /[$`\\]/.test(quoted))) return undefined;
      add(quoted);
      index = end + 1;
    } else if (plain.test(sign)) {
      add(sign);
      index++;
    } else if (sign === '~' && isInsideOfWord(text.slice(0, index))) {
      add(sign);
      index++;
    } else if (sign === '*' && wildcards) {
      pieces.push('');
      index++;
    } else break;
  }
  const rest = text.slice(index);
  // A word ends where a blank or a joint stands, and nowhere else.
  return index > 0 && (rest === '' || /^[ \t\n;|&]/.test(rest)) ? { word: pieces, rest } : undefined;
}

/** `HEAD~1`: a tilde that no shell takes for a home folder. Behind `=` and `:` some do. */
function isInsideOfWord(before: string): boolean {
  return /^[A-Za-z0-9_@./^~-]+$/.test(before) && !before.startsWith('~');
}

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

/** Returns the number of words before the program that a command runs by its name, such as 2 of `npm exec`; 0 if it runs none so. */
export function runnerPrefixLength([program = '', next = '']: readonly string[]): number {
  const subcommands = runners.get(baseName(program));
  if (subcommands === undefined) return 0;
  return subcommands.size === 0 ? 1 : subcommands.has(next) ? 2 : 0;
}

/** Returns the name of a program without its folder, in small letters: some file systems do not tell cases apart. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1).toLowerCase();
}

/** Returns true if the program runs programs that its arguments name. */
export function isLauncher(program: string): boolean {
  return launchers.has(baseName(program));
}

/** Returns true if the program runs a program text: a shell, or for instance `python3.12`. */
export function isInterpreter(program: string): boolean {
  return isShell(program) || interpreters.has(baseName(program).replace(/[-.\d]+$/, ''));
}

/** Returns true if the program text is one of a POSIX shell. */
export function isShell(program: string): boolean {
  return shells.has(baseName(program));
}
