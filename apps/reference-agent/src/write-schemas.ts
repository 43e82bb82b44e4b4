import { writeFile } from 'node:fs/promises';
import { streamJsonSchema, streamVersion } from './headless/stream-event.js';

/** Writes the schemas that the package publishes. A test compares them with the code. */
const file = new URL(`../schemas/stream-json-${streamVersion}.json`, import.meta.url);
await writeFile(file, `${JSON.stringify(streamJsonSchema(), undefined, 2)}\n`);
