/** The key under which arguments are sent that are not the JSON text of an object. */
export const unparsedArgumentsKey = 'unparsed_arguments';

/**
 * A call's arguments as an object. Blank text is no arguments. Text that does not parse, or is JSON of something else than
 * an object, stands whole under {@link unparsedArgumentsKey}, so that the model sees what it wrote, or what a redaction put
 * in its place.
 *
 * @see provider-rules A14
 */
export function toolInput(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  return parsedObject(text) ?? { [unparsedArgumentsKey]: text };
}

/** The same as JSON text. Text of an object stays as it is, to the byte: compatible servers parse it, OpenAI does not. */
export function toolArguments(text: string): string {
  return parsedObject(text) === undefined ? JSON.stringify(toolInput(text)) : text;
}

/** True for arguments that are the JSON text of an object, or blank, which is no arguments. */
export function isReadableInput(text: string): boolean {
  return text.trim() === '' || parsedObject(text) !== undefined;
}

/** Arguments for a log: blank text is no arguments, which is `{}`. */
export function loggedArguments(text: string): string {
  return text.trim() === '' ? '{}' : text;
}

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
