import { expect, test } from 'vitest';
import { environmentWithoutSecrets, secretsOfEnvironment } from './environment.js';
import { secretMask } from './mask.js';

const long = 'value-of-0123456789';

test.each([
  ...['OPENAI_API_KEY', 'GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'DB_PASSWORD', 'PGPASSWORD'],
  ...['SSH_KEY', 'MYAPIKEY', 'githubToken', 'npm_config_token', 'STRIPE_SECRET', 'GPG_PASSPHRASE', 'AZURE_CREDENTIALS'],
  ...['secret-key', 'TOKEN', 'KEY', 'KEYS', 'AccountKey', 'STORAGE_ACCOUNTKEY', 'SECRETS', 'X_TOKEN_2'],
])('%s says that it holds a secret', (name) => {
  expect(Object.values(secretsOfEnvironment({ [name]: long }))).toEqual([long]);
  expect(environmentWithoutSecrets({ [name]: long })).toEqual({});
});

test.each([
  ...['KEYBOARD', 'KEYBOARD_LAYOUT', 'TOKENIZERS_PARALLELISM', 'SSH_AUTH_SOCK', 'MONKEY', 'TURKEY_CITY', 'HOTKEYS'],
  ...[
    'SSH_KEY_FILE',
    'SECRET_PATH',
    'TOKEN_URL',
    'TOKEN_TTL',
    'KEY_BINDINGS',
    'SECRETARY',
    'PATH',
    'KEYMAP',
    'TOKENIZER',
  ],
])('%s does not', (name) => {
  expect(secretsOfEnvironment({ [name]: long })).toEqual({});
  expect(environmentWithoutSecrets({ [name]: long })).toEqual({ [name]: long });
});

test('short values, placeholders, numbers and paths are no secrets', () => {
  const env = {
    API_KEY: 'API_KEY',
    SHORT_TOKEN: 'elevenchars',
    MAX_OUTPUT_TOKENS: '32000',
    GOOGLE_APPLICATION_CREDENTIALS: '/home/user/key.json',
    PLACEHOLDER_SECRET: 'PLACEHOLDER_SECRET',
    NONE_TOKEN: undefined,
  };
  expect(secretsOfEnvironment(env)).toEqual({});
  // A short password is not looked for in texts, but nobody is given it.
  expect(Object.keys(environmentWithoutSecrets(env))).toEqual(['MAX_OUTPUT_TOKENS', 'GOOGLE_APPLICATION_CREDENTIALS']);
});

test('passwords of URLs are found in any variable, as written and decoded', () => {
  const env = {
    DATABASE_URL: 'postgres://app:s3cr%40t-x@db.example:5432/app',
    PROXIES: 'http://a:long-proxy-password@p.example,http://plain.example',
    CACHE: 'redis://:redis-password-1@cache.example',
    LOCAL: 'postgres://postgres:postgres@localhost/db',
    WEAK: 'mysql://root:password@localhost/db',
    HOMEPAGE: 'https://a.example/path:with@signs',
  };
  const secrets = secretsOfEnvironment(env);
  expect(Object.values(secrets)).toEqual([
    ...['s3cr%40t-x', 's3cr@t-x', 'long-proxy-password', 'redis-password-1', 'root:password'],
  ]);
  expect(Object.keys(environmentWithoutSecrets(env))).toEqual(['LOCAL', 'HOMEPAGE']);
  const mask = secretMask(secrets);
  // An ordinary word stays readable.
  expect(mask.text('password=postgres mysql://root:password@localhost s3cr@t-x')).toBe(
    'password=postgres mysql://[secret WEAK]@localhost [secret DATABASE_URL-2]',
  );
});

test('a variable that repeats a secret is left out, too', () => {
  const env = { API_TOKEN: long, HEADER: `Authorization: Bearer ${long}`, PATH: '/bin' };
  expect(environmentWithoutSecrets(env)).toEqual({ PATH: '/bin' });
});

test('whatever the environment holds, a mask can be made of it', () => {
  const env = {
    '9_KEY': `${long}a`,
    'npm_config_//registry/:_token': `${long}b`,
    'A KEY': `${long}c`,
    'A/KEY': `${long}d`,
    'B.TOKEN': '-----BEGIN-----\nabcdefghijklmnopqrstuv\n-----END-----\n',
    C_KEY: ' '.repeat(40),
    E_TOKEN: long,
    F_TOKEN: long,
  };
  const secrets = secretsOfEnvironment(env);
  expect(Object.keys(secrets)).toEqual([
    ...['_9_KEY', 'npm_config__registry__token', 'A_KEY', 'A_KEY-2', 'B.TOKEN', 'E_TOKEN'],
  ]);
  const mask = secretMask(secrets);
  for (const text of [`${long}a`, `${long}d`, long]) expect(mask.text(text)).toMatch(/^\[secret [\w.-]+\][a-d]?$/);
});

test('a key that is a word with a number is not found with other characters between its own: the documentation says so', () => {
  const mask = secretMask(secretsOfEnvironment({ API_KEY: long }));
  const spaced = long.split('').join(' ');
  expect(mask.text(spaced)).toBe(spaced);
});

test('hostile values cost no more than their length', () => {
  for (const piece of ['a://', 'a:', 'a://b:', '://@', '/a', '~']) {
    // Quadratic work would take minutes here.
    expect(secretsOfEnvironment({ A: piece.repeat(200_000) })).toBeDefined();
    expect(secretsOfEnvironment({ A_KEY: piece.repeat(200_000) })).toBeDefined();
  }
});
