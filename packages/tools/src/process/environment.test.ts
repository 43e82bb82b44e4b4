import { expect, test } from 'vitest';
import { commandEnvironment } from './environment.js';

test('a command gets harmless variables, and no key', () => {
  const harmless = { PATH: '/bin', HOME: '/home/a', LC_ALL: 'C', JAVA_HOME: '/java', NODE_ENV: 'test' };
  const others = { OPENAI_API_KEY: 'k', GITHUB_TOKEN: 't', LC_x: '1', MY_HOME_KEY: 'k', CI: undefined };
  expect(commandEnvironment({ ...harmless, ...others })).toEqual(harmless);
});
