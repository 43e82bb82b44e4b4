import { InvalidSkillError } from './errors.js';

/** A document in two parts: the YAML between two lines of `---` at its beginning, and what comes after. */
export interface FrontMatter {
  /** Undefined if there is none. */
  readonly data: unknown;
  readonly body: string;
}

const block = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m;

/** @throws {@link InvalidSkillError} when the block does not end or is not YAML. */
export async function splitFrontMatter(document: string, file: string): Promise<FrontMatter> {
  const text = document.replace(/^\uFEFF/, '');
  if (!/^---[ \t]*(?:\r?\n|$)/.test(text)) return { data: undefined, body: text };
  const match = block.exec(text);
  if (match?.index !== 0) {
    throw new InvalidSkillError(file, "begins with '---' and never ends its front matter; close it with a line '---'.");
  }
  // Only for who has such a file: it takes 20 ms.
  const { parse } = await import('./yaml.js');
  try {
    // YAML warnings are not printed: a library does not write to the console.
    return { data: parse(match[1] ?? '', { logLevel: 'error' }) as unknown, body: text.slice(match[0].length) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : 'it cannot be read';
    throw new InvalidSkillError(file, `has front matter that is not YAML: ${reason}`, { cause: error });
  }
}
