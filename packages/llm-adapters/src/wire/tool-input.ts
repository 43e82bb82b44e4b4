/** The key that holds arguments that are not the JSON text of an object. */
const unparsedArgumentsKey = 'unparsed_arguments';

/**
 * Returns a call's arguments as an object. Blank text gives an empty object. Text that is not the JSON of an object, or
 * of one that is nested deeper than 500 levels, is kept whole under {@link unparsedArgumentsKey}, so that the model
 * sees the text that it wrote, or the text of a redaction.
 *
 * @see provider-rules A14
 */
export function toolInput(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  return parsedObject(text) ?? { [unparsedArgumentsKey]: text };
}

/**
 * Returns the same as JSON text. The JSON text of an object stays unchanged, to the byte: compatible servers parse it,
 * OpenAI does not.
 */
export function toolArguments(text: string): string {
  return parsedObject(text) === undefined ? JSON.stringify(toolInput(text)) : text;
}

/** Returns true for arguments that are blank or the JSON text of an object that is nested at most 500 levels deep. */
export function isReadableInput(text: string): boolean {
  return text.trim() === '' || parsedObject(text) !== undefined;
}

/** Arguments for a log: blank text becomes `{}`. */
export function loggedArguments(text: string): string {
  return text.trim() === '' ? '{}' : text;
}

/** No tool takes more, and what walks over the values of a request by recursion would overflow the stack. Unit: levels. */
const mostLevels = 500;

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    // A short text has no room for so many brackets.
    return isObject && (text.length < 2 * mostLevels || isWithin(value, mostLevels))
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isWithin(inner, levels - 1));
}
