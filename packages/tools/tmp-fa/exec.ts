import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWorkspace } from '../src/workspace.js';
import { runCommand } from '../src/command/run-command.js';
const workspace = await openWorkspace(await mkdtemp(join(tmpdir(), 'fa-exec-')));
let bad = 0; const n = Number(process.argv[2]);
const seen: Record<string, number> = {};
for (let i = 0; i < n; i++) {
  const r = await runCommand(workspace, 'sleep 60 & setsid sleep 60 & exit 4', { timeoutMs: 60_000, background: 'end' });
  if (r.endedAfter.length !== 2) bad++;
  const k = r.endedAfter.map(({name}) => name).sort().join(','); seen[k] = (seen[k] ?? 0) + 1;
}
console.log({ n, bad, seen });
