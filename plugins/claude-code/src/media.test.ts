import { expect, it } from 'vitest';
import { call, fileText, result, said } from '../test-support/session.js';
import type { ApiMessage } from './host.js';
import { mediaOf } from './media.js';
import { readRows } from './transcript.js';

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const words = (text: string) => ({ type: 'text', text });
const resultBlock = (id: string, ...content: readonly object[]) => ({ type: 'tool_result', tool_use_id: id, content });

it('finds images by the call whose result holds them, and names the file', () => {
  const rows = [said('user', 'Look.'), call('a', 1), result('a', ''), call('b', 2), result('b', fileText(2, 100))];
  const api: ApiMessage[] = [
    { role: 'user', content: [words('<system-reminder>Set-up.</system-reminder>'), words('Look.')] },
    { role: 'user', content: [resultBlock('a', image)] },
    { role: 'user', content: [resultBlock('b', words(fileText(2, 100)))] },
  ];
  expect([...mediaOf(api, readRows(rows) ?? [])]).toEqual([[2, ['an image (/shop/src/file-1.ts)']]]);
});

it('finds what the person pasted by the words beside it', () => {
  const rows = [
    said('user', 'Go.'),
    call('a', 1),
    result('a', '1'),
    said('assistant', 'Done.'),
    said('user', 'What is this?'),
    said('assistant', 'A shop.'),
  ];
  const api: ApiMessage[] = [
    { role: 'user', content: [words('Go.')] },
    { role: 'user', content: [resultBlock('a', words('1'))] },
    { role: 'user', content: [image, words('What is this?'), { type: 'document', source: {} }] },
  ];
  expect([...mediaOf(api, readRows(rows) ?? [])]).toEqual([[4, ['an image', 'a document']]]);
});

it('takes the last place that is possible for an image without words: a row without text is none', () => {
  const rows = [
    said('user', 'Go.'),
    call('a', 1),
    result('a', '1'),
    said('user', ''),
    said('assistant', 'A shop.'),
    call('b', 1),
    result('b', '2'),
  ];
  const api: ApiMessage[] = [
    { role: 'user', content: [resultBlock('a', words('1'))] },
    { role: 'user', content: [image] },
  ];
  expect([...mediaOf(api, readRows(rows) ?? []).keys()]).toEqual([4]);
});
