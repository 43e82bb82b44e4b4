import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withFacts } from '@palimpsest/provider-servers';
import type { GeneratedTask } from './task.js';

/** The times that a task may take, as Harbor reads them. Unit: seconds. */
const timeouts = { agent: 3_600, verifier: 60 };

/** The check: it compares the files of the agent's folder with those that are expected, which the agent cannot see. */
const checkProgram = `import { readFileSync } from 'node:fs';
import path from 'node:path';

const [folder] = process.argv.slice(2);
const { files } = JSON.parse(readFileSync(new URL('expected.json', import.meta.url), 'utf8'));
const plain = (text) => text.split('\\n').map((line) => line.trimEnd()).filter((line) => line !== '').join('\\n');
const read = (file) => {
  try {
    return readFileSync(path.join(folder, file), 'utf8');
  } catch {
    return undefined;
  }
};
const wrong = Object.entries(files).filter(([file, text]) => plain(read(file) ?? '') !== plain(text));
for (const [file] of wrong) console.log(\`\${file} \${read(file) === undefined ? 'is missing' : 'is not as it should be'}\`);
process.exit(wrong.length === 0 ? 0 : 1);
`;

/** Harbor runs it as /tests/test.sh, with the agent's folder at /app; the local runner says where these are. */
const testScript = `#!/bin/sh
app="\${TASK_APP:-/app}"
verifier="\${TASK_VERIFIER:-/logs/verifier}"
mkdir -p "$verifier"
if node "$(dirname "$0")/check.mjs" "$app"; then reward=1; else reward=0; fi
echo "$reward" > "$verifier/reward.txt"
`;

const dockerfile = `FROM node:22-bookworm-slim
WORKDIR /app
COPY files/ /app/
`;

const solveScript = `#!/bin/sh
node "$(dirname "$0")/solve.mjs" "\${TASK_APP:-/app}"
`;

/** Returns the files of a task's folder in the format of Harbor, and the plan for a model with a script. */
export function taskFiles(task: GeneratedTask): Readonly<Record<string, string>> {
  const { name, instruction, files, expected, plan } = task;
  return {
    'task.toml': configuration(task),
    'instruction.md': instruction,
    'environment/Dockerfile': dockerfile,
    ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`environment/files/${file}`, text])),
    'tests/test.sh': testScript,
    'tests/check.mjs': checkProgram,
    'tests/expected.json': json({ name, files: expected }),
    'solution/solve.sh': solveScript,
    'solution/solve.mjs': solveProgram(task),
    'plan.json': json(plan),
  };
}

/** Writes a task as a folder of its name. Returns the path. @throws what the file system says */
export async function writeTask(folder: string, task: GeneratedTask): Promise<string> {
  const place = path.join(folder, task.name);
  for (const [file, text] of Object.entries(taskFiles(task))) {
    const target = path.join(place, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text, { mode: file.endsWith('.sh') ? 0o755 : 0o644 });
  }
  return place;
}

/** Names and numbers alone: nothing in it needs to be escaped. */
function configuration({ name, family, size, seed }: GeneratedTask): string {
  return `schema_version = "1.1"

[task]
name = "palimpsest/${name}"
description = "A long task that needs what was seen long ago"
keywords = ["context", "${family}"]

[metadata]
family = "${family}"
size = ${size}
seed = ${seed}

[agent]
timeout_sec = ${timeouts.agent}.0

[verifier]
timeout_sec = ${timeouts.verifier}.0

[environment]
build_timeout_sec = 600.0
cpus = 1
memory_mb = 2048
storage_mb = 10240
`;
}

/** The reference solution: what the plan writes and edits, with every value known. */
function solveProgram({ plan }: GeneratedTask): string {
  const value = (name: string) => plan.facts[name]?.value ?? '';
  const changes = plan.steps.flatMap((step) => {
    if (step.do === 'read') return [];
    if (step.do === 'write') return { file: step.file, text: withFacts(step.text, value) };
    return { file: step.file, oldText: withFacts(step.oldText, value), newText: withFacts(step.newText, value) };
  });
  return `import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [folder] = process.argv.slice(2);
const changes = ${JSON.stringify(changes, undefined, 2)};
for (const { file, text, oldText, newText } of changes) {
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text ?? readFileSync(target, 'utf8').replace(oldText, () => newText));
}
`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
