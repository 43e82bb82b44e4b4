import process from 'node:process';
import { parseArgs } from 'node:util';
import { localPostgres } from '@palimpsest/postgres/testing';
import { chaos } from '../packages/dbos/test-support/chaos.js';

/** Each is an option: `npm run bench:chaos -- --conversations 100 --kills 5`. */
const defaults = {
  conversations: 1_000,
  workers: 4,
  bursts: 3,
  kills: 40,
  stops: 12,
  freezes: 6,
  backends: 12,
  outages: 4,
  poison: 3,
  everyMs: 1_500,
  seed: 1,
};
const { values } = parseArgs({
  options: Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' as const }])),
});
const asked = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));

const server = await localPostgres();
if (server === undefined)
  throw new Error('npm has no PostgreSQL for this platform; name one in PALIMPSEST_POSTGRES_URL.');
const began = performance.now();
const progress = (what: string) => console.error(`${((performance.now() - began) / 1_000).toFixed(0)} s: ${what}`);
try {
  const report = await chaos({ ...defaults, ...asked, url: server.url, progress });
  console.log(`Node ${process.version}\n\n|  |  |\n| --- | --- |`);
  for (const [what, count] of Object.entries(report.figures))
    console.log(`| ${what} | ${count.toLocaleString('en')} |`);
  console.log('\n| may not be | found |\n| --- | --- |');
  for (const { invariant, broken } of report.findings) console.log(`| ${invariant} | ${broken} |`);
  console.log(`| errors that ended a run | ${report.errors.length} |`);
  for (const error of report.errors) console.log(error);
  if (report.errors.length > 0 || report.findings.some(({ broken }) => broken > 0)) process.exitCode = 1;
} finally {
  await server.close();
}
