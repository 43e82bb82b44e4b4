import { expect, test } from 'vitest';
import { html } from './html.js';

test('every value is escaped, also in lists and attributes; only HTML stays HTML', () => {
  const text = `<b class="x">'&\u0000\u202e`;
  const escaped = '&lt;b class=&quot;x&quot;&gt;&#39;&amp;\ufffd\ufffd';
  expect(html`<i title="${text}">${text}${[text, html`<br />`, 3]}${undefined}${false}</i>`.markup).toBe(
    `<i title="${escaped}">${escaped}${escaped}<br />3</i>`,
  );
});
