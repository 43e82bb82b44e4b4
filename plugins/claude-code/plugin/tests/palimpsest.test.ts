import { expect, mock, test } from 'claude-code/testing';

function beneath(on) {
  mock.store(on);
  mock.env(on, {});
  on('session.id', () => ({ value: 'session-1' }));
  on('session.model', () => ({ value: 'claude-opus-5-5' }));
  on('session.version', () => ({ value: { version: '2.1.332', base: '2.1.332' } }));
  on('session.info', () => ({ value: { transcriptPath: '/nowhere/session-1.jsonl' } }));
  on('session.usage', () => ({
    value: { startedAt: 0, context: { tokens: 70_000, window: 1_000_000 }, rateLimits: [] },
  }));
  on('settings.read', () => ({ value: {} }));
  on('fs.exists', () => ({ value: false }));
  on('session.messages', () => ({ value: [] }));
  on('ui.invalidate', () => ({ value: undefined }));
}
const words = (role, text) => ({ role, text, toolUses: [] });

test('leaves a short conversation as it is, and a preparation alone', { timeoutMs: 60_000 }, async ($, on) => {
  beneath(on);
  const messages = [words('user', 'Go.'), words('assistant', 'Done.')];
  expect((await $.session.compact({ trigger: 'precompute', messages })).skip).toContain('Palimpsest');
  expect((await $.session.compact({ trigger: 'auto', messages })).skip).toContain('Palimpsest');
});
