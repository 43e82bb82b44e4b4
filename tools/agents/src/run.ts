import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { workspaceRoot } from './agents-folder.js';
import { buildPlugin } from './build-plugin.js';
import type { Host } from './host.js';
import { claudeCode } from './hosts/claude-code.js';
import { opencode } from './hosts/opencode.js';
import { pi } from './hosts/pi.js';
import { differencesIn, problemsOf } from './judge.js';
import { scenarios } from './scenarios.js';
import type { Scenario } from './scenarios.js';
import { table } from './table.js';
import type { Row } from './table.js';
import { runTrial } from './trial.js';
import type { Trial } from './trial.js';

// Runs the agents, real and headless, with our plugins, and judges what they send: `npm run test:agents`.

const { values } = parseArgs({
  options: {
    host: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true },
    'claude-code': { type: 'string', default: '2.1.332' },
    'without-plugin': { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});
const hosts = [claudeCode(values['claude-code']), pi, opencode].filter(
  ({ name }) => values.host?.includes(name) ?? true,
);
const chosen = scenarios.filter(({ name }) => values.scenario?.some((each) => name.startsWith(each)) ?? true);
if (hosts.length === 0 || chosen.length === 0) {
  console.error(`Hosts: claude-code, pi, opencode. Scenarios: ${scenarios.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

let hasFailed = false;
for (const host of hosts) {
  const rows: Row[] = [];
  for (const scenario of chosen) {
    if (scenario.needsSubAgents === true && !host.hasSubAgents) {
      console.log(`${host.name} ${scenario.name}: it has no sub-agents`);
      continue;
    }
    const begun = performance.now();
    const { trial, problems } = await tried(host, scenario);
    hasFailed ||= problems.length > 0;
    rows.push({ scenario: scenario.name, trial, problems });
    const seconds = Math.round((performance.now() - begun) / 1_000);
    console.log(
      `${host.name} ${scenario.name}: ${seconds} s, ${problems.length === 0 ? 'no problem' : problems.join('; ')}`,
    );
    if (values.keep !== undefined) await keep(values.keep, host, scenario, trial);
  }
  console.log(`\n${host.name} ${host.version}\n\n${table(rows)}\n`);
}
process.exitCode = hasFailed ? 1 : 0;

async function tried(
  host: Host,
  scenario: Scenario,
): Promise<{ readonly trial: Trial; readonly problems: readonly string[] }> {
  const isWithPlugin = !values['without-plugin'] && (scenario.way ?? 'plugin') === 'plugin';
  if (!isWithPlugin) {
    const trial = await runTrial(host, scenario, undefined);
    return { trial, problems: problemsOf(trial, scenario, false) };
  }
  const built = await buildPlugin(host, scenario.fault);
  try {
    const trial = await runTrial(host, scenario, built.path);
    const alone =
      scenario.comparesSaved === true && host.savesWithoutPlugin
        ? await runTrial(host, scenario, undefined)
        : undefined;
    const differences = alone === undefined ? [] : differencesIn(host, trial, alone);
    return { trial, problems: [...problemsOf(trial, scenario, true), ...differences] };
  } finally {
    await built.remove();
  }
}

/** Keeps what was sent and said, to look into. */
async function keep(folder: string, host: Host, scenario: Scenario, trial: Trial): Promise<void> {
  const place = path.resolve(workspaceRoot, folder, `${host.name}-${scenario.name}`);
  await mkdir(place, { recursive: true });
  await writeFile(path.join(place, 'exchanges.json'), JSON.stringify(trial.exchanges));
  await writeFile(
    path.join(place, 'output.txt'),
    trial.finished.map(({ output, errors, status }) => `${status}\n${output}\n${errors}\n`).join('\n'),
  );
  if (trial.saved !== undefined) await writeFile(path.join(place, 'saved.txt'), trial.saved);
}
