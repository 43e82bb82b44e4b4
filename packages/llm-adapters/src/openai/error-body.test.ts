import { describe, expect, it } from 'vitest';
import { errorInBody, withReadableBodies } from './error-body.js';

describe('errorInBody', () => {
  it.each([
    ['OpenAI', { error: { message: 'No.', code: 'x' } }, { message: 'No.', code: 'x' }],
    ['Gemini', [{ error: { message: 'No.', code: 400 } }], { message: 'No.', code: 400 }],
    ['Ollama', { error: 'No.' }, { message: 'No.' }],
    ['Mistral', { object: 'error', message: 'No.', code: '3230' }, { message: 'No.', code: '3230' }],
    ['Mistral, of fields', { object: 'error', message: { detail: ['a'] } }, { message: '{"detail":["a"]}' }],
    ['FastAPI', { detail: 'No.' }, { message: 'No.' }],
    ['FastAPI, of fields', { detail: [{ loc: ['body'] }] }, { message: '[{"loc":["body"]}]' }],
  ])('%s', (_, body, expected) => expect(errorInBody(body)).toMatchObject(expected));

  it.each([
    [null],
    ['text'],
    [[]],
    [{}],
    [{ message: 'Hello.' }],
    [{ choices: [], error: null }],
    [{ output: [], error: null }],
  ])('finds none in %j', (body) => expect(errorInBody(body)).toBeUndefined());
});

describe('withReadableBodies', () => {
  const fetched = async (status: number, body: string, headers: Record<string, string> = {}) => {
    const fetch = withReadableBodies(async () => new Response(body, { status, headers }));
    const response = await fetch('http://localhost');
    return { response, text: await response.text() };
  };

  it('puts a refusal into the shape that the SDK reads, with its status and headers', async () => {
    const { response, text } = await fetched(422, '[{"error":{"message":"No."}}]', {
      'retry-after': '7',
      'content-length': '29',
    });
    expect(text).toBe('{"error":{"message":"No."}}');
    expect(response.status).toBe(422);
    expect([response.headers.get('retry-after'), response.headers.get('content-length')]).toEqual(['7', null]);
  });

  it('leaves answers, and what is no JSON, as they are', async () => {
    expect((await fetched(200, '{"object":"error","message":"No."}')).text).toBe('{"object":"error","message":"No."}');
    expect((await fetched(502, '<html>')).text).toBe('<html>');
    expect((await fetched(500, '{"a":1}')).text).toBe('{"a":1}');
  });
});
