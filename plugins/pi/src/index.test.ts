import { expect, test } from 'vitest';
import { plainConversation } from '../test-support/conversations.js';
import { fakeContext, fakePi } from '../test-support/fake-pi.js';
import palimpsest from './index.js';
import type { PiApi } from './pi-api.js';

test('what is not loaded is said once, and pi goes on as without the plugin', async () => {
  const [pi, ctx] = [fakePi(), fakeContext({ id: 'one' })];
  palimpsest(pi);
  // Beside the source there is no built file.
  await pi.emit('session_start', { reason: 'startup' }, ctx);
  expect(ctx.status).toMatch(/^palimpsest not loaded: Cannot find module/);
  expect(await pi.emit('context', { messages: plainConversation() }, ctx)).toBeUndefined();
  expect(await pi.emit('session_before_compact', {}, ctx)).toBeUndefined();
  for (const command of pi.commands.values()) await command.handler('', ctx);
  expect([...pi.commands.keys()]).toEqual(['condense', 'condensed', 'uncondense', 'palimpsest']);
});

test('a pi that lacks what is used is not ended', () => {
  expect(() => palimpsest({} as PiApi)).not.toThrow();
});

test('of two copies one condenses, until its session ends', async () => {
  const ctx = fakeContext({ id: 'one' });
  const [one, other] = [fakePi(), fakePi()];
  palimpsest(one);
  palimpsest(other);
  await one.emit('session_start', {}, ctx);
  await other.emit('session_start', {}, ctx);
  expect(ctx.status).toBe('palimpsest is loaded twice: this copy does nothing');
  await one.emit('session_shutdown', { reason: 'reload' }, ctx);
  await other.emit('session_start', {}, ctx);
  expect(ctx.status).toMatch(/^palimpsest not loaded/);
});
