import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayError } from '../gateway-error.js';
import { keptRoutes, namedUpstreams } from './routes.js';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(path.join(tmpdir(), 'palimpsest-gateway-'));
});
afterEach(() => rm(data, { recursive: true }));

const one = { name: 'one', upstream: 'https://one.example' };
const two = { name: 'two', upstream: 'https://two.example/v1' };

it('gives each upstream a token of its own, which only its user can read, and keeps it', async () => {
  const routes = await keptRoutes(data, [one, two]);
  expect(routes).toEqual([
    { ...one, token: expect.stringMatching(/^[0-9a-f]{32}$/) },
    { ...two, token: expect.stringMatching(/^[0-9a-f]{32}$/) },
  ]);
  expect(routes[0]!.token).not.toBe(routes[1]!.token);
  expect((await stat(path.join(data, 'routes.json'))).mode & 0o777).toBe(0o600);
  expect(await readdir(data)).toEqual(['routes.json']);

  expect(await keptRoutes(data, [two])).toEqual([routes[1]]);
  const third = { name: 'three', upstream: 'https://three.example' };
  expect(await keptRoutes(data, [third, one])).toEqual([{ ...third, token: expect.any(String) }, routes[0]]);
  expect(await keptRoutes(data, [one, two])).toEqual(routes);
});

it('gives a name that means another upstream now another token', async () => {
  const [before] = await keptRoutes(data, [one]);
  const [after] = await keptRoutes(data, [{ ...one, upstream: 'https://new.example' }]);
  expect(after!.token).not.toBe(before!.token);
  expect(JSON.parse(await readFile(path.join(data, 'routes.json'), 'utf8'))).toEqual([after]);
});

it.each(['{"name":', '[{"name":"one"}]', '[{"name":"one","upstream":"https://one.example","token":"../x"}]'])(
  'says of a damaged file what to do: %s',
  async (text) => {
    await writeFile(path.join(data, 'routes.json'), text);
    await expect(keptRoutes(data, [one])).rejects.toThrow(GatewayError);
    await expect(keptRoutes(data, [one])).rejects.toThrow(/routes\.json is damaged: delete it/);
  },
);

it('reads names and addresses', () => {
  expect(namedUpstreams(['one=https://one.example/', 'two=https://two.example/v1'])).toEqual([one, two]);
});

it.each([
  [['https://one.example'], /An upstream is a name and an address/],
  [['=https://one.example'], /An upstream is a name and an address/],
  [['a b=https://one.example'], /An upstream is a name and an address/],
  [['one=one.example'], /'one.example' is no address of http/],
  [['one=https://key@one.example'], /one.example holds a credential/],
  [['one=https://one.example', 'one=https://two.example'], /Two upstreams have the name 'one'/],
])('refuses %j', (texts, message) => {
  expect(() => namedUpstreams(texts)).toThrow(GatewayError);
  expect(() => namedUpstreams(texts)).toThrow(message);
});
