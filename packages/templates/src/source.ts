import { PromptTemplateError } from './errors.js';

/** A source of templates: a package, a folder, a database. */
export interface TemplateSource {
  /** The place of a template with this name, for error messages. */
  locate(name: string): string;
  /** The text of a template; undefined if the source has no template of this name. */
  read(name: string): Promise<string | undefined> | string | undefined;
}

/** Returns a source that holds templates in memory, by name. */
export function templatesFrom(texts: Readonly<Record<string, string>>): TemplateSource {
  const byName = new Map(Object.entries(texts));
  return { locate: (name) => name, read: (name) => byName.get(name) };
}

/** Returns a source that searches the given ones in order, so that custom templates override the built-in ones. */
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

/** Reads the text of a template. @throws {@link PromptTemplateError} when the template is missing or cannot be read. */
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
