import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { startBrowser } from '../../../apps/test-harness/test-support/browser.js';
import type { SuiteResult } from './suites.js';

const execute = promisify(execFile);
const modules = path.join(import.meta.dirname, '../node_modules');
/** A suite asks for hundreds of answers; what takes longer hangs. Unit: milliseconds. */
const mostMs = 600_000;

/** The results of a runtime. */
export interface Outcome {
  readonly version: string;
  readonly results: readonly SuiteResult[];
}

/** Returns the runtimes by their names. Each runs the programs of a project. */
export function runtimes(project: string, control: string): Readonly<Record<string, () => Promise<Outcome>>> {
  const node = (major: number) => () => inProcess(path.join(modules, `node${major}/bin/node`), [], [project, control]);
  return {
    'Node.js 20': node(20),
    'Node.js 22': node(22),
    'Node.js 24': node(24),
    'Node.js 26': node(26),
    Bun: () => inProcess(path.join(modules, '@oven/bun-linux-x64/bin/bun'), ['run'], [project, control]),
    Deno: () =>
      inProcess(
        path.join(modules, '@deno/linux-x64-glibc/deno'),
        ['run', '-A', '--node-modules-dir=manual'],
        [project, control],
      ),
    workerd: () => inWorkerd(path.join(modules, '@cloudflare/workerd-linux-64/bin/workerd'), [project, control]),
    Chromium: () => inChromium(control),
  };
}

/** The project with the programs, and the address of the control server. */
type Where = readonly [project: string, control: string];

async function inProcess(binary: string, options: readonly string[], [project, control]: Where): Promise<Outcome> {
  const version = await versionOf(binary);
  const args = [...options, 'in-process.mjs', control];
  const how = { cwd: project, env: {}, timeout: mostMs, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await execute(binary, args, how);
  return { version, results: JSON.parse(stdout) as readonly SuiteResult[] };
}

async function versionOf(binary: string): Promise<string> {
  const { stdout } = await execute(binary, ['--version']);
  return /\d+[\d.-]*\d/.exec(stdout)?.[0] ?? stdout.trim();
}

async function inWorkerd(binary: string, [project, control]: Where): Promise<Outcome> {
  const config = path.join(project, 'workerd.capnp');
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "in-worker.mjs", esModule = embed "in-worker.mjs")],
      compatibilityDate = "2026-01-01",
      compatibilityFlags = ["nodejs_compat"],
      globalOutbound = "network"
    )),
    (name = "network", network = (allow = ["public", "private"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
`,
  );
  const running = spawn(binary, ['serve', config, '--control-fd=3'], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      running.once('exit', (code) => reject(new Error(`workerd ended with ${code}`)));
      (running.stdio[3] as NodeJS.ReadableStream).on('data', (data: Buffer) => {
        const { port } = JSON.parse(String(data).trim().split('\n')[0] ?? '{}') as { readonly port?: number };
        if (port !== undefined) resolve(port);
      });
    });
    const answer = await fetch(`http://127.0.0.1:${port}/?control=${encodeURIComponent(control)}`, {
      signal: AbortSignal.timeout(mostMs),
    });
    return { version: await versionOf(binary), results: (await answer.json()) as readonly SuiteResult[] };
  } finally {
    running.kill();
  }
}

async function inChromium(control: string): Promise<Outcome> {
  // The servers of a scenario stand at addresses of their own, which a provider allows by its headers.
  const browser = await startBrowser(['--disable-web-security']);
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(mostMs);
    const broken = new Promise<never>((_resolve, reject) => void page.on('pageerror', reject));
    await page.goto(control);
    await Promise.race([page.waitForFunction(() => 'results' in globalThis), broken]);
    const results = await page.evaluate(
      () => (globalThis as unknown as { results: Promise<readonly SuiteResult[]> }).results,
    );
    return { version: browser.version(), results };
  } finally {
    await browser.close();
  }
}
