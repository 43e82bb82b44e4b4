import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoRecordings } from './corpus/demo-recordings.js';
import { faultRecordings } from './corpus/fault-recordings.js';
import { neutralLog } from './corpus/neutral-log.js';

// `npm run record-corpus` records the repository's own corpus of logs again. The same work gives the same files.
const directory = fileURLToPath(new URL('../../../corpus/', import.meta.url));
const sampleProject = fileURLToPath(new URL('../sample-project/', import.meta.url));

await mkdir(directory, { recursive: true });
for (const file of await readdir(directory)) if (file.endsWith('.jsonl')) await rm(join(directory, file));

const rows: string[] = [];
for (const { name, about, record } of [...demoRecordings(sampleProject), ...faultRecordings]) {
  const events = await record();
  const log = neutralLog(events);
  await writeFile(join(directory, `${name}.jsonl`), log);
  rows.push(`| \`${name}\` | ${events.length} | ${about} |`);
  process.stdout.write(`${name}: ${events.length} events, ${log.length} characters\n`);
}

await writeFile(
  join(directory, 'README.md'),
  `# Corpus

Logs of our own agent, for tests: JSON Lines, one event a line, as the file store writes them. \`npm run record-corpus\` in
\`apps/reference-agent\` records them anew; ids are numbered and the events are a second apart, so that a recording of the same
work is the same text. The paths in them are those of the sample project.

| log | events | what it holds |
| --- | --- | --- |
${rows.join('\n')}
`,
);
