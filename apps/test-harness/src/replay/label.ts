/** Longer text of an option, such as a prompt, is cut. Unit: characters. */
const longestText = 24;
/** Longer labels do not fit a table. Unit: characters. */
const longestLabel = 72;

/**
 * Returns a condenser's name with its options, as `--condenser` writes them: `recentEvents maxSize=40`. Stages stand in brackets:
 * `pipeline [observationMasking attentionWindow=10, recentEvents maxSize=40]`.
 *
 * @param description - of the condenser, as in a configuration
 */
export function labelWithOptions(name: string, description: Readonly<Record<string, unknown>>): string {
  const label = [name, ...optionWords(description, '')].join(' ');
  return label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label;
}

function optionWords(description: Readonly<Record<string, unknown>>, path: string): readonly string[] {
  return Object.entries(description).flatMap(([key, value]): readonly string[] => {
    if (path === '' && (key === 'type' || key === 'use')) return [];
    if (path === '' && key === 'stages' && Array.isArray(value)) return [`[${value.map(stageLabel).join(', ')}]`];
    // The options of a package are in a table of their own.
    if (path === '' && key === 'options' && isTable(value)) return optionWords(value, '');
    if (isTable(value)) return optionWords(value, `${path}${key}.`);
    return [`${path}${key}=${shownValue(value)}`];
  });
}

function stageLabel(stage: unknown): string {
  if (!isTable(stage)) return String(stage);
  return [String(stage['type'] ?? stage['use']), ...optionWords(stage, '')].join(' ');
}

function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : JSON.stringify(value);
  return text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
