import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectProxy } from '../../test-support/connect-proxy.js';
import { workerProgram } from '../../test-support/worker-program.js';
import { GatewayError } from '../gateway-error.js';
import { supervised } from './supervisor.js';
import { upstreamAt } from './upstream.js';

const closing: (() => Promise<unknown>)[] = [];
const closeAll = async (): Promise<void> => {
  for (const close of closing.splice(0).reverse()) await close();
};

describe('a provider in a network of its own', () => {
  let directory: string;
  /** The file of the provider's certificate, which nobody has signed. */
  let certificate: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'palimpsest-gateway-'));
    certificate = path.join(directory, 'certificate.pem');
    const of = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=provider'];
    const name = ['-addext', 'subjectAltName=IP:127.0.0.1'];
    await promisify(execFile)('openssl', [
      ...of,
      ...name,
      '-keyout',
      path.join(directory, 'key.pem'),
      '-out',
      certificate,
    ]);
  });
  afterEach(closeAll);
  afterAll(() => rm(directory, { recursive: true }));

  /** Asks a provider through a gateway that has been started in an environment. */
  async function askIn(environment: Record<string, string>) {
    const [key, cert] = await Promise.all(
      ['key.pem', 'certificate.pem'].map((name) => readFile(path.join(directory, name))),
    );
    const seen: unknown[] = [];
    const provider = createServer({ key, cert }, ({ url, headers }, answer) => {
      seen.push([url, headers['x-api-key'], headers['proxy-authorization']]);
      answer.end('{"all":"right"}');
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    closing.push(async () => {
      provider.close();
      provider.closeAllConnections();
      await Promise.resolve();
    });
    const { port } = provider.address() as AddressInfo;
    const names = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS'];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) delete process.env[name];
    Object.assign(process.env, environment);
    const gateway = await supervised({
      program: workerProgram,
      worker: {
        routes: [{ name: 'provider', upstream: `https://127.0.0.1:${port}/base/`, token: 'secret' }],
        port: 0,
        data: directory,
        subscription: false,
      },
      onReceipt: () => undefined,
      onProblem: () => undefined,
    });
    closing.push(() => gateway.stop());
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    const headers = { 'x-api-key': 'the-key' };
    const response = await fetch(`${gateway.origin}/secret/v1/models`, { headers });
    return { target: `127.0.0.1:${port}`, seen, status: response.status, text: await response.text() };
  }

  it('is reached through the proxy of the environment, and trusted by its certificate', async () => {
    const proxy = await connectProxy();
    closing.push(() => proxy.close());
    const environment = { HTTPS_PROXY: `http://user:word@${proxy.host}`, NODE_EXTRA_CA_CERTS: certificate };
    const { target, seen, text } = await askIn(environment);
    expect(text).toBe('{"all":"right"}');
    expect(seen).toEqual([['/base/v1/models', 'the-key', undefined]]);
    expect(proxy.asked).toEqual([[target, `Basic ${Buffer.from('user:word').toString('base64')}`]]);
  });

  it('is reached without a proxy where the environment says so', async () => {
    const proxy = await connectProxy();
    closing.push(() => proxy.close());
    const environment = {
      HTTPS_PROXY: `http://${proxy.host}`,
      NO_PROXY: '127.0.0.1',
      NODE_EXTRA_CA_CERTS: certificate,
    };
    expect((await askIn(environment)).text).toBe('{"all":"right"}');
    expect(proxy.asked).toEqual([]);
  });

  it('is not trusted without its certificate', async () => {
    const { seen, status, text } = await askIn({});
    expect([status, seen]).toEqual([502, []]);
    expect(text).toMatch(/certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\); NODE_EXTRA_CA_CERTS/);
  });

  it('is not reached through a proxy that refuses', async () => {
    const proxy = await connectProxy(407);
    closing.push(() => proxy.close());
    const { seen, status, text } = await askIn({ HTTPS_PROXY: `http://user:word@${proxy.host}` });
    expect([status, seen]).toEqual([502, []]);
    expect(text).toContain('the proxy answered 407');
    expect(text).not.toMatch(/word|the-key/);
  });
});

it.each([
  ['no address', 'api.anthropic.com', /'api.anthropic.com' is no address/],
  ['another protocol', 'ftp://user:word@one.example', /^'ftp:\/\/one.example' is no address/],
  ['a credential', 'https://user:word@one.example', /^The address of one.example holds a credential/],
  ['a query', 'https://one.example/v1?version=1', /has to end with its path/],
])('refuses %s as an upstream', (_, address, message) => {
  expect(() => upstreamAt(address)).toThrow(GatewayError);
  expect(() => upstreamAt(address)).toThrow(message);
});
