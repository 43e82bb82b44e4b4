import { describeHostFile } from '@palimpsest/events';
import { describe, expect, it } from 'vitest';
import { hostFileIn } from './host-file.js';

const base64 = (text: string) => btoa(text);
const page = '1 0 obj << /Type /Page /Parent 2 0 R >> endobj\n';
const tree = (pages: number) => `%PDF-1.7\n2 0 obj << /Type /Pages /Kids [1 0 R] /Count ${pages} >> endobj\n`;
const pdf = base64(tree(12) + page.repeat(12));
const bytes = Uint8Array.from(tree(12), (letter) => letter.charCodeAt(0));

describe('a PDF of 12 pages weighs the same on all wires', () => {
  it.each<[string, unknown]>([
    ['Messages', { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: pdf } }], // prettier-ignore
    [
      'Chat Completions',
      { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` } },
    ],
    ['Responses', { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` }],
    ['the AI SDK', { type: 'file', data: pdf, mediaType: 'application/pdf', filename: 'a.pdf' }],
    ['the AI SDK, as bytes', { type: 'file', data: bytes, mediaType: 'application/pdf', filename: 'a.pdf' }],
    ['the AI SDK 7', { type: 'file', data: { type: 'data', data: bytes }, mediaType: 'application/pdf', filename: 'a.pdf' }], // prettier-ignore
    ['a result of the AI SDK', { type: 'file-data', data: pdf, mediaType: 'application/pdf', filename: 'a.pdf' }],
    ['LangChain', { type: 'file', source_type: 'base64', data: pdf, mime_type: 'application/pdf', filename: 'a.pdf' }],
    ['the Agents SDK', { type: 'input_file', file: `data:application/pdf;base64,${pdf}`, filename: 'a.pdf' }],
  ])('%s', (_, part) => {
    const file = hostFileIn(part);
    expect(file).toMatchObject({ kind: 'pdf', pages: 12, tokens: 12 * 2_500, name: 'a.pdf' });
    expect(file && describeHostFile(file)).toBe('a.pdf, a PDF of 12 pages');
  });
});

const document = (data: string, media_type = 'application/pdf') => ({
  type: 'document',
  source: { type: 'base64', media_type, data },
});

describe('the pages of a PDF', () => {
  it.each<[string, string, number]>([
    ['are those of the whole tree', base64(`${tree(30)}3 0 obj << /Count 7 /Parent 2 0 R /Type/Pages >> endobj`), 30],
    ['are what a file for the web says first', base64('%PDF-1.5\n1 0 obj << /Linearized 1 /L 9 /N 40 >> endobj'), 40],
    ['are the page objects where the tree is compressed', base64(`%PDF-1.5\n${page.repeat(3)}`), 3],
    ['are 75 kB each where all is compressed', base64(`%PDF-1.5\n${'\u00ff'.repeat(6_000_000)}`), 81],
  ])('%s', (_, data, pages) => {
    expect(hostFileIn(document(data))).toMatchObject({ pages, tokens: pages * 2_500 });
  });

  it('weigh no more than a provider reads of them', () => {
    expect(hostFileIn(document(base64(tree(900))))?.tokens).toBe(600 * 2_500);
    expect(hostFileIn(document(base64(tree(900))), { maxPages: 100 })?.tokens).toBe(100 * 2_500);
  });

  it('are some where nobody holds the file', () => {
    expect(hostFileIn({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } })).toMatchObject({ tokens: 25_000 }); // prettier-ignore
  });
});

/** A WAV with a second of 16,000 samples of two bytes, so many times. */
function wav(seconds: number): string {
  const rate = String.fromCharCode(0x00, 0x7d, 0, 0);
  return base64(
    `RIFF....WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0${rate}\x02\0\x10\0data${'\0'.repeat(32_000 * seconds)}`,
  );
}

it.each<[string, unknown, object]>([
  [
    'a WAV',
    { type: 'input_audio', input_audio: { data: wav(20), format: 'wav' } },
    { kind: 'audio', seconds: 21, tokens: 21 * 32 },
  ],
  [
    'an MP3 of 64 kbit/s',
    { type: 'input_audio', input_audio: { data: base64(`\xff\xfb\x50\0${'\0'.repeat(80_000)}`), format: 'mp3' } },
    { kind: 'audio', seconds: 11 },
  ],
  [
    'audio of another kind',
    { type: 'file', mediaType: 'audio/aac', data: base64('\0'.repeat(160_000)) },
    { kind: 'audio', seconds: 10 },
  ],
  [
    'the spoken answer of a model',
    { id: 'audio_1', data: wav(1), transcript: 'Hello.' },
    { kind: 'audio', seconds: 2 },
  ],
  [
    'a video by its address',
    { type: 'file', mediaType: 'video/mp4', data: new URL('https://example.com/a.mp4') },
    { kind: 'video', tokens: 60 * 295 },
  ],
  ['an image by its id', { type: 'input_image', file_id: 'file_1' }, { kind: 'image', tokens: 1_000 }],
  [
    'a text',
    { type: 'file', mediaType: 'text/csv', filename: 'a.csv', data: base64('1,2\n'.repeat(1_000)) },
    { kind: 'document', tokens: 1_000 },
  ],
  [
    'a document of an office',
    { type: 'file', filename: 'a.docx', data: base64('PK'.repeat(9_999)) },
    { kind: 'document', tokens: 5_000 },
  ],
  [
    'what the provider has found',
    { type: 'web_search_tool_result', content: [{ title: 'Pixels', encrypted_content: 'x'.repeat(1_600) }] },
    { kind: 'other', tokens: 307 },
  ],
])('%s has a weight', (_, part, file) => {
  // prettier-ignore
  expect(hostFileIn(part)).toMatchObject(file);
});

it.each([
  undefined,
  'text',
  { type: 'text', text: 'Hello.' },
  { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A plan.' } },
  { type: 'search_result', content: [{ type: 'text', text: 'Found.' }] },
  { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'pixel' } },
  { type: 'document', source: { type: 'base64', data: '%%%' } },
])('no file, or one that no provider takes, does no harm: %j', (part) => {
  expect(hostFileIn(part)?.tokens ?? 0).toBeLessThan(5_001);
});
