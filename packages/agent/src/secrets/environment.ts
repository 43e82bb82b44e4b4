import { minSecretLength } from './search.js';

/** The variables of a process, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The minimum length of the value of a variable by whose name it is taken for a secret. Unit: characters. */
const minEnvironmentSecretLength = 12;

/**
 * Returns the secrets among environment variables, for `secretMask`: values of at least {@link minEnvironmentSecretLength}
 * characters of variables whose names say key, token, secret, password or credential, by their words (not `KEYBOARD`, not
 * `TOKENIZERS_PARALLELISM`, not the path in `SSH_KEY_FILE`), and the passwords of URLs in any variable. A URL's password that is an
 * ordinary word is found only together with its user (`user:word`), and not at all if it is the user's name. A secret under another
 * name is not found.
 */
export function secretsOfEnvironment(env: Environment): Readonly<Record<string, string>> {
  const secrets = new Map<string, string>();
  const add = (name: string, value: string): void => {
    const label = labelFor(name, secrets);
    if (value.trim().length >= minSecretLength && ![...secrets.values()].includes(value)) secrets.set(label, value);
  };
  for (const [name, value = ''] of Object.entries(env)) {
    if (saysSecret(name) && value.trim().length >= minEnvironmentSecretLength && !isPath(value)) add(name, value);
    else for (const password of passwordsIn(value)) for (const form of formsOf(password)) add(name, form);
  }
  // A placeholder such as `API_KEY=API_KEY` is no secret, and a label must not hold a value.
  const labels = [...secrets.keys()];
  return Object.fromEntries([...secrets].filter(([, value]) => !labels.some((label) => label.includes(value.trim()))));
}

/**
 * Returns the variables that programs which a model starts can have: those whose names do not say that they hold a secret, of
 * whatever length, and whose values hold no password in a URL and no value of {@link secretsOfEnvironment}.
 */
export function environmentWithoutSecrets(env: Environment): Readonly<Record<string, string>> {
  const secrets = Object.values(secretsOfEnvironment(env));
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => {
      const [name, value] = entry;
      if (value === undefined || (saysSecret(name) && !isHarmless(value))) return false;
      return passwordsIn(value).length === 0 && !secrets.some((secret) => value.includes(secret));
    }),
  );
}

/** The last word of a name that speaks of a secret, and is none. */
const about = new Set([
  ...[
    'FILE',
    'FILES',
    'PATH',
    'DIR',
    'DIRECTORY',
    'FOLDER',
    'HOME',
    'SOCK',
    'SOCKET',
    'URL',
    'URI',
    'ENDPOINT',
    'HOST',
  ],
  ...['PORT', 'NAME', 'TYPE', 'ALGORITHM', 'COUNT', 'LIMIT', 'LENGTH', 'SIZE', 'TTL', 'TIMEOUT', 'EXPIRY', 'PROVIDER'],
  ...['HELPER', 'STORE', 'BINDINGS', 'DELAY', 'ENABLED', 'DISABLED', 'FORMAT', 'VERSION', 'PREFIX', 'NAMESPACE'],
]);
const secretWord = /^(?:\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY)S?|KEYS?)$/;
const compoundKey = /^\w*(?:ACCESS|SECRET|PRIVATE|AUTH|LICENSE|SIGNING|ENCRYPTION|MASTER|ACCOUNT|DEPLOY|SERVICE)KEYS?$/;

function saysSecret(name: string): boolean {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z\d]+/)
    .filter((word) => word !== '');
  if (about.has(words.at(-1) ?? '')) return false;
  return words.some((word) => secretWord.test(word) || compoundKey.test(word));
}

/**
 * Reports whether a value is the place of a file with a secret, as in `GOOGLE_APPLICATION_CREDENTIALS`. No encoding of a key begins
 * so and has a dot.
 */
function isPath(value: string): boolean {
  return /^(?:~|\.{1,2})?(?:[\\/][\w.@+ -]+)+\.\w{1,10}$|^[A-Za-z]:\\/.test(value.trim());
}

/** A number or a switch, as in `MAX_OUTPUT_TOKENS=32000`. */
function isHarmless(value: string): boolean {
  return isPath(value) || /^(?:\d{0,8}|true|false|yes|no|on|off|none)$/i.test(value.trim());
}

interface UrlPassword {
  readonly user: string;
  readonly password: string;
}

/** Returns the passwords in a value's URLs. One that is the user's name is everybody's, such as `postgres:postgres`. */
function passwordsIn(value: string): readonly UrlPassword[] {
  return [...value.matchAll(/[a-z][\w+.-]{0,30}:\/\/([^\s/?#:@]{0,200}):([^\s/?#@]{1,500})@/gi)].flatMap(
    ([, user = '', password = '']) => (user === password ? [] : [{ user, password }]),
  );
}

/** Returns the texts in which a password is found without hiding ordinary words. */
function formsOf({ user, password }: UrlPassword): readonly string[] {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((kind) => kind.test(password)).length;
  const isTelling = password.length >= minEnvironmentSecretLength || (password.length >= minSecretLength && kinds > 1);
  return [isTelling ? password : `${user}:${password}`].flatMap((form) => [form, decoded(form)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns a name that a label can have, and that no other secret has. */
function labelFor(name: string, taken: ReadonlyMap<string, string>): string {
  const plain = name.replaceAll(/[^\w.-]+/g, '_').replace(/^(?![A-Za-z_])/, '_');
  let label = plain;
  for (let number = 2; taken.has(label); number++) label = `${plain}-${number}`;
  return label;
}
