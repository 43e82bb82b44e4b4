import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { fr } from 'zod/locales';
import * as z from 'zod/mini';
import { errorTexts } from './error-texts.js';
import { parseEvent } from './parse-event.js';

const noId = { type: 'message', timestamp: '2026-11-22T12:00:00.000Z', source: 'user', role: 'user', content: [] };

beforeEach(() => {
  // Another test of this process may have loaded zod's texts.
  const { localeError } = z.config();
  z.config({ localeError: undefined });
  onTestFinished(() => void z.config({ localeError }));
});

test('errors are told in English where the program has chosen nothing', () => {
  expect(z.config().localeError).toBeUndefined();
  expect(z.string().safeParse(1).error?.issues[0]?.message).toBe('Invalid input');
  expect(z.string().safeParse(1, errorTexts()).error?.issues[0]?.message).toBe(
    'Invalid input: expected string, received number',
  );
  expect(() => parseEvent(noId)).toThrow('Invalid input: expected string, received undefined');
});

test('errors are told in the language that the program has chosen', () => {
  z.config(fr());

  expect(() => parseEvent(noId)).toThrow('Entrée invalide : chaîne de caractères attendu, indéfini reçu');
});
