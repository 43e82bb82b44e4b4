import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { composeProblems } from './compose.js';
import { workspaceRoot } from './workspace.js';

const folder = path.join(workspaceRoot, 'examples/service');
const read = (...file: string[]): string => readFileSync(path.join(folder, ...file), 'utf8');
const file = read('compose.yaml');
const surroundings = {
  source: read('service.ts'),
  dockerfile: read('Dockerfile'),
  page: read('../../docs/services.md'),
  exists: (...parts: string[]) => existsSync(path.join(folder, ...parts)),
};

// No test runs Docker: the file is read as data.
test('the compose file of the service names what exists', () => {
  expect(composeProblems(file, surroundings)).toEqual([]);
});

test.each([
  ['the Dockerfile does not exist', 'examples/service/Dockerfile', 'Dockerfile'],
  ['the service does not know MODEL_NAME', 'MODEL: ', 'MODEL_NAME: '],
  ['the service reads MODEL', 'MODEL: ', 'MODEL_NAME: '],
  ['OPENAI_API_KEY may be missing, or stands in the file', '${OPENAI_API_KEY:?', '${OPENAI_API_KEY:-'],
  ['the URL names no database of this file', '@postgres:', '@database:'],
  ['the URL names another user', 'POSTGRES_USER: palimpsest', 'POSTGRES_USER: postgres'],
  ['the URL names another database', 'POSTGRES_DB: palimpsest', 'POSTGRES_DB: logs'],
  ['the service does not wait for the database', 'service_healthy', 'service_started'],
  ['the data have no volume', 'data:/var', 'logs:/var'],
  ['not each of them has a port of this machine', '8080-8081', '8080-8080'],
  ['the port is another one than PORT', 'PORT: 8080', 'PORT: 80'],
])('it would be found that %s', (problem, from, to) => {
  expect(file).toContain(from);
  expect(composeProblems(file.replace(from, to), surroundings)).toContain(problem);
});

test.each([
  ['the command runs a file that does not exist', 'service.ts', 'server.ts'],
  ['the command is not the documented one', 'tsx', 'ts-node'],
  ['no package.json2 to copy', 'COPY . .', 'COPY package.json2 .'],
  ['the image has no Node that we support', 'node:22', 'node:18'],
])('of the Dockerfile it would be found that %s', (problem, from, to) => {
  const dockerfile = surroundings.dockerfile.replace(from, to);
  expect(composeProblems(file, { ...surroundings, dockerfile })).toContain(problem);
});
