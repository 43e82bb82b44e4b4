import { expect, test } from 'vitest';
import { plainStyles } from '../../test-support/screen-rig.js';
import { markdownLines, StreamedMarkdown } from './markdown.js';

const text = [
  '# Title',
  'A paragraph with **strong** words that goes on for more than a line of forty columns.',
  '```js\nconst a = 1;\n\nconst b = 2;\n```',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '> quoted',
  'The end.',
].join('\n\n');

test.each([20, 40, 100])('piece by piece it comes to what the whole text is: %i columns', (width) => {
  const streamed = new StreamedMarkdown(plainStyles);
  let last: readonly string[] = [];
  for (let end = 1; end <= text.length; end++) last = streamed.lines(text.slice(0, end), width);
  expect(last).toEqual(markdownLines(text, width, plainStyles));
});

test('at another width it is drawn anew', () => {
  const streamed = new StreamedMarkdown(plainStyles);
  streamed.lines(text, 100);
  expect(streamed.lines(text, 30)).toEqual(markdownLines(text, 30, plainStyles));
});
