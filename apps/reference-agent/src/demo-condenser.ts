import { fileURLToPath } from 'node:url';
import { loadCondenserFile } from '@palimpsest/condensers/node';
import type { Condenser } from '@palimpsest/view';
import { defaultCondenser } from './agent/condenser.js';

/** The sizes of the demo, as a configuration, so that the harness can replay the demo with them. The same from src/ and from dist/. */
const demoFile = fileURLToPath(new URL('../demo.toml', import.meta.url));

/** The default of the reference agent with sizes for the demo, which is a short session. */
export async function demoCondenser(): Promise<Condenser> {
  const { stages = [] } = await loadCondenserFile(demoFile);
  return defaultCondenser({ stages });
}
