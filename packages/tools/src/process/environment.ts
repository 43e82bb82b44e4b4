/** Variables that programs need in order to run, and those that say where they are installed. */
const passedOn = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'CI', 'NODE_ENV', 'VIRTUAL_ENV'],
  ...['GOPATH', 'GOFLAGS', 'NODE_PATH', 'NVM_DIR', 'PYENV_ROOT', 'RBENV_ROOT', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['NODE_EXTRA_CA_CERTS', 'PKG_CONFIG_PATH', 'LD_LIBRARY_PATH'],
]);

/**
 * Returns the variables that a command gets unless others are given: those of a list of harmless names, `LC_*` and `*_HOME`.
 * Keys are not among them: what a command prints goes into the log and to the model.
 */
export function commandEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && (passedOn.has(name) || /^LC_[A-Z]+$|^[A-Z]+_HOME$/.test(name)) ? [[name, value]] : [],
    ),
  );
}

/** Set for every command: there is no terminal, and nobody answers a question or reads a pager. */
export const withoutTerminal: Readonly<Record<string, string>> = {
  NO_COLOR: '1',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};
