import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installedVersion, workspaceRoot } from './agents-folder.js';
import { buildPlugin } from './build-plugin.js';
import type { BuiltPlugin } from './build-plugin.js';
import type { Host } from './host.js';
import { gatewayScenarios } from './gateway-scenarios.js';
import { claudeCode } from './hosts/claude-code.js';
import { codex } from './hosts/codex.js';
import { opencode } from './hosts/opencode.js';
import { pi } from './hosts/pi.js';
import { qwenCode } from './hosts/qwen-code.js';
import { differencesIn, problemsOf } from './judge.js';
import { receiptProblems } from './receipts.js';
import { piCommandProblems } from './pi-commands.js';
import { scenarios } from './scenarios.js';
import type { Scenario } from './scenarios.js';
import { table } from './table.js';
import type { Row } from './table.js';
import { runTrial } from './trial.js';
import type { Trial } from './trial.js';

// Runs the agents, real and headless, with our plugins and behind the gateway, and judges what they send: `npm run test:agents`.

const { values } = parseArgs({
  options: {
    host: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true },
    'claude-code': { type: 'string', default: '2.1.332' },
    'without-plugin': { type: 'boolean', default: false },
    plugins: { type: 'string', default: path.join(workspaceRoot, 'plugins') },
    keep: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const hosts = [claudeCode(values['claude-code']), pi, opencode, codex, qwenCode].filter(
  ({ name }) => values.host?.includes(name) ?? true,
);
const isChosen = (name: string) => values.scenario?.some((each) => name.startsWith(each)) ?? true;
const all = [...scenarios, ...gatewayScenarios];
const chosen = all.filter(({ name }) => isChosen(name));
/** Our commands, where a host has a mode for programs. */
const talks: Readonly<Record<string, ((folder: string) => Promise<readonly string[]>) | undefined>> = {
  pi: piCommandProblems,
};
if (values.help || hosts.length === 0 || (chosen.length === 0 && !isChosen('commands'))) {
  const names = [...all.map(({ name }) => name), 'commands'];
  console.error(`Hosts: claude-code, pi, opencode, codex, qwen-code. Scenarios: ${names.join(', ')}.`);
  process.exit(values.help ? 0 : 2);
}

let hasFailed = false;
for (const host of hosts) {
  const rows: Row[] = [];
  for (const scenario of chosen) {
    const reason = reasonToSkip(host, scenario);
    if (reason !== undefined) {
      console.log(`${host.name} ${scenario.name}: ${reason}`);
      continue;
    }
    const tryOut = await tried(host, scenario);
    const { trial } = tryOut;
    const control = rows.find((row) => row.scenario === 'gateway-bill-none')?.trial;
    const isBill = scenario.name.startsWith('gateway-bill');
    const problems = [...tryOut.problems, ...(isBill ? receiptProblems(trial, scenario.need ?? 'none', control) : [])];
    // What a host does without us is shown, and judges nobody.
    hasFailed ||= isCondensed(scenario) && problems.length > 0;
    rows.push({ scenario: scenario.name, trial, problems });
    report(host, scenario.name, problems);
    if (values.keep !== undefined) await keep(values.keep, host, scenario, trial);
  }
  const talk = talks[host.name];
  if (talk !== undefined && isChosen('commands') && !values['without-plugin']) {
    const problems = await withPlugin(host, undefined, ({ folder }) => talk(folder));
    hasFailed ||= problems.length > 0;
    report(host, 'commands', problems);
  }
  console.log(`\n${host.name} ${installedVersion(host.packageName)}\n\n${table(rows)}\n`);
}
process.exitCode = hasFailed ? 1 : 0;

function reasonToSkip(host: Host, scenario: Scenario): string | undefined {
  const { way = 'plugin', needsSubAgents = false, fault, needs, invocations } = scenario;
  if (gatewayScenarios.includes(scenario)) {
    if (!host.isKnownToGateway) return 'the gateway does not know it';
  } else if (host.plugin === undefined) {
    return way === 'plugin' ? 'it has no plugin' : 'its own compaction is not tried';
  }
  if (needsSubAgents && !host.hasSubAgents) return 'it has no sub-agents';
  if (needs !== undefined && !host.has.includes(needs)) return `it has no ${needs}`;
  if (host.compact === undefined && invocations.some(({ does }) => does === 'compact'))
    return 'it has no command for it';
  return fault === 'loops' && !host.survivesLoops ? 'it runs plugins in its own thread' : undefined;
}

function isCondensed({ way = 'plugin' }: Scenario): boolean {
  return way === 'gateway' || (!values['without-plugin'] && way === 'plugin');
}

async function tried(
  host: Host,
  scenario: Scenario,
): Promise<{ readonly trial: Trial; readonly problems: readonly string[] }> {
  if (scenario.way === 'gateway' || !isCondensed(scenario)) {
    const trial = await runTrial(host, scenario, undefined);
    return { trial, problems: problemsOf(trial, scenario, isCondensed(scenario)) };
  }
  const trial = await withPlugin(host, scenario.fault, (built) => runTrial(host, scenario, built.path));
  const problems = problemsOf(trial, scenario, true);
  if (scenario.comparesSaved !== true || !host.savesWithoutPlugin) return { trial, problems };
  const alone = await runTrial(host, scenario, undefined);
  if (values.keep !== undefined) await keep(values.keep, host, { ...scenario, name: `${scenario.name}-alone` }, alone);
  return { trial, problems: [...problems, ...differencesIn(trial, alone)] };
}

async function withPlugin<Result>(
  host: Host,
  fault: Scenario['fault'],
  use: (built: BuiltPlugin) => Promise<Result>,
): Promise<Result> {
  if (host.plugin === undefined) throw new Error(`${host.name} has no plugin.`);
  const built = await buildPlugin(host.plugin, path.resolve(values.plugins), fault);
  try {
    return await use(built);
  } finally {
    await built.remove();
  }
}

function report({ name }: Host, scenario: string, problems: readonly string[]): void {
  console.log(`${name} ${scenario}: ${problems.length === 0 ? 'no problem' : problems.join('; ')}`);
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
