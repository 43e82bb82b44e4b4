import { pricedCondenser } from '@palimpsest/condensers';
import type { PresetName } from '@palimpsest/condensers';
import type { Condenser } from '@palimpsest/view';

/** Returns the policy of a plugin. Tests of whole agents put a faulty one in the place of this file. */
export function condenserOf(preset: PresetName): Condenser {
  return pricedCondenser({ preset });
}
