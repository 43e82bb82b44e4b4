import type { EditorTheme, MarkdownTheme, SelectListTheme } from '@mariozechner/pi-tui';
import type { Colours } from '@palimpsest/terminal';

/** How things look. Without colours every function gives back its text, so no meaning may lie in a style alone. */
export interface Styles {
  readonly colours: Colours;
  readonly markdown: MarkdownTheme;
  readonly list: SelectListTheme;
  readonly editor: EditorTheme;
}

/** The styles of the screen. */
export function stylesOf(colours: Colours): Styles {
  const { bold, dim, italic, underline, strikethrough, cyan, green, yellow, inverse } = colours;
  const list: SelectListTheme = {
    selectedPrefix: bold,
    selectedText: (text) => (colours.isColorSupported ? inverse(text) : text),
    description: dim,
    scrollInfo: dim,
    noMatch: dim,
  };
  return {
    colours,
    list,
    editor: { borderColor: dim, selectList: list },
    markdown: {
      heading: bold,
      link: cyan,
      linkUrl: dim,
      code: cyan,
      codeBlock: green,
      codeBlockBorder: dim,
      quote: italic,
      quoteBorder: dim,
      hr: dim,
      listBullet: yellow,
      bold,
      italic,
      strikethrough,
      underline,
      codeBlockIndent: '  ',
    },
  };
}
