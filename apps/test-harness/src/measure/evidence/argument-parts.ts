/** What the arguments of a call take from earlier text. */
export interface ArgumentParts {
  /** Text that may name things. */
  readonly text: string;
  /** Lines that a tool finds only if they are quoted exactly. */
  readonly anchors: readonly string[];
}

/** Arguments that hold new text of the model. */
const newText = new Set([
  'content',
  'new_string',
  'file_text',
  'new_str',
  'newText',
  'replace',
  'todos',
  'prompt',
  'summary',
  'message',
  'plan',
  'new_source',
]);
/** Arguments that quote text which is to be replaced. */
const quotedText = new Set(['old_string', 'old_str', 'oldText', 'search']);

const shortestAnchor = 12;
const beginOfPatch = '*** Begin Patch';
const hereDocument = /<<-?\s*['"]?(\w+)['"]?[\s\S]*?\n\1\b/g;

/** Separates the arguments of a call into text that names things and lines that must be quoted exactly. */
export function argumentParts(json: string): ArgumentParts {
  const texts: string[] = [];
  const anchors: string[] = [];
  const read = (value: unknown, key: string): void => {
    if (typeof value === 'number') texts.push(String(value));
    else if (typeof value === 'string') readText(value, key);
    else if (Array.isArray(value)) for (const item of value) read(item, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) read(item, name);
  };
  const readText = (value: string, key: string): void => {
    if (newText.has(key)) return;
    if (quotedText.has(key)) anchors.push(...value.split('\n'));
    else if (value.includes(beginOfPatch)) readPatch(value);
    else texts.push(value.replace(hereDocument, ' '));
  };
  const readPatch = (patch: string): void => {
    const begin = patch.indexOf(beginOfPatch);
    texts.push(patch.slice(0, begin));
    for (const line of patch.slice(begin).replaceAll(beginOfPatch, '').split('\n')) {
      if (/^\*\*\* (?:Add|Update|Delete) File/.test(line)) texts.push(line);
      else if (/^[- ]/.test(line) && !line.startsWith('---')) anchors.push(line.slice(1));
    }
  };
  let value: unknown = json;
  try {
    value = JSON.parse(json);
  } catch {
    // Arguments that are not JSON are text.
  }
  read(value, '');
  const quoted = anchors.map((line) => line.trim()).filter((line) => line.length >= shortestAnchor);
  return { text: texts.join('\n'), anchors: [...new Set(quoted)] };
}
