import { toolResultContent } from '@palimpsest/events';
import type { ToolResultEvent } from '@palimpsest/events';
import { neutralizeLabels } from './labels.js';
import { recallToolName } from './tool-names.js';

/** The first words of a redacted result, before the model's reason. */
export const defaultMarker = 'Response redacted: ';

/** The text in a redacted result's place: the marker, the model's note, and the tool that returns the original. */
export function redactionNote(
  summary: string,
  options: { readonly marker?: string | undefined; readonly recall?: boolean | undefined } = {},
): string {
  const hint = options.recall === true ? ` (${recallToolName} returns the original)` : '';
  return `${options.marker ?? defaultMarker}${neutralizeLabels(summary.trim())}${hint}`;
}

// As in the view's token estimate: 1,000 tokens of 4 characters.
const charactersPerImage = 4_000;

/** The size of what a model reads of a result, without its label. Unit: characters, an image counted as 4,000. */
export function resultLength(event: ToolResultEvent): number {
  return toolResultContent(event).reduce(
    (sum, part) => sum + (part.type === 'text' ? part.text.length : charactersPerImage),
    0,
  );
}
