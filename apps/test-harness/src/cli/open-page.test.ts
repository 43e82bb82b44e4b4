import { expect, test } from 'vitest';
import { hasDisplay } from './open-page.js';

test('a page is opened at a terminal with a display, and nowhere else', () => {
  const at = (platform: NodeJS.Platform, environment: Readonly<Record<string, string>>, isTerminal = true): boolean =>
    hasDisplay({ platform, environment, isTerminal });
  expect(at('darwin', {})).toBe(true);
  expect(at('win32', { CI: '' })).toBe(true);
  expect(at('linux', { DISPLAY: ':0' })).toBe(true);
  expect(at('linux', { WAYLAND_DISPLAY: 'wayland-0', CI: 'false' })).toBe(true);
  expect(at('linux', { WSL_DISTRO_NAME: 'Ubuntu' })).toBe(true);
  expect(at('linux', { DISPLAY: 'localhost:10', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' })).toBe(true);

  expect(at('linux', {})).toBe(false);
  expect(at('linux', { DISPLAY: '' })).toBe(false);
  expect(at('darwin', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' })).toBe(false);
  expect(at('darwin', { CI: 'true' })).toBe(false);
  expect(at('darwin', {}, false)).toBe(false);
});
