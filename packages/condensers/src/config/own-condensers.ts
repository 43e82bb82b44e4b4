import type { CondenserDefinition } from '../authoring/define-condenser.js';
import { isCondenserDefinition } from '../authoring/define-condenser.js';
import * as root from '../index.js';

/** The definitions that the root entry exports. */
type Own = Extract<(typeof root)[keyof typeof root], CondenserDefinition>;

/** The name of a condenser of ours. */
export type OwnCondenserName = Own['name'];

/** The condensers of ours by name: those without a model first. What the root entry exports is here, and nothing else. */
export const ownCondensers: ReadonlyMap<string, CondenserDefinition> = new Map(
  Object.values<unknown>(root)
    .filter(isCondenserDefinition)
    .sort((a, b) => Number(a.asksModel) - Number(b.asksModel))
    .map((definition) => [definition.name, definition]),
);
