/** A piece of HTML. Only {@link html} makes one, so no text of data is ever taken for markup. */
export class Html {
  readonly markup: string;

  /** @internal */
  constructor(markup: string) {
    this.markup = markup;
  }
}

/** Values that can stand in a template: text and numbers are escaped; nothing is written for `undefined` and `false`. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[];

/** Makes HTML of a template. Every value in it is escaped, also in an attribute, which has to stand in double quotes. */
export function html(texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(texts.map((text, index) => text + markupOf(parts[index])).join(''));
}

function markupOf(part: HtmlPart): string {
  if (part instanceof Html) return part.markup;
  if (part === undefined || part === false) return '';
  if (typeof part === 'object') return part.map(markupOf).join('');
  return escaped(String(part));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Control characters, which HTML does not allow, and characters that turn the direction of writing. */
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function escaped(text: string): string {
  return text.replace(unseen, '\ufffd').replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
