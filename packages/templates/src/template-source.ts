import { PromptTemplateError } from './template-error.js';

/** Where templates come from: a package, a folder, a database. */
export interface TemplateSource {
  /** Where a template of this name is, for error messages. */
  locate(name: string): string;
  /** The text of a template; undefined where there is none of this name. */
  read(name: string): Promise<string | undefined> | string | undefined;
}

/** Templates from memory, by name. */
export function templatesFrom(texts: Readonly<Record<string, string>>): TemplateSource {
  const byName = new Map(Object.entries(texts));
  return { locate: (name) => name, read: (name) => byName.get(name) };
}

/** Looks in each source in turn, so that a few templates of one's own stand in front of the built-in ones. */
export function layeredTemplates(...sources: readonly TemplateSource[]): TemplateSource {
  const found = new Map<string, TemplateSource>();
  return {
    locate: (name) => (found.get(name) ?? sources[0])?.locate(name) ?? name,
    async read(name) {
      for (const source of sources) {
        const text = await source.read(name);
        if (text === undefined) continue;
        found.set(name, source);
        return text;
      }
      return undefined;
    },
  };
}

/** The text of a template. @throws {@link PromptTemplateError} when there is none, or it cannot be read. */
export async function readTemplate(source: TemplateSource, name: string): Promise<string> {
  let text: string | undefined;
  try {
    text = await source.read(name);
  } catch (error) {
    if (PromptTemplateError.isInstance(error)) throw error;
    throw new PromptTemplateError(source.locate(name), 'cannot be read.', { cause: error });
  }
  if (text !== undefined) return text;
  throw new PromptTemplateError(
    source.locate(name),
    'does not exist. Add it, or layer your templates over those that have it.',
  );
}
