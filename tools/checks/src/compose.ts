import { parse } from 'yaml';
import { z } from 'zod';

const environment = z.record(z.string(), z.union([z.string(), z.number()]));
const composeSchema = z.object({
  services: z.object({
    postgres: z.object({
      image: z.string(),
      environment,
      volumes: z.array(z.string()),
      healthcheck: z.object({ test: z.array(z.string()) }),
    }),
    service: z.object({
      build: z.object({ context: z.string(), dockerfile: z.string() }),
      environment,
      ports: z.array(z.string()),
      deploy: z.object({ replicas: z.number() }),
      depends_on: z.object({ postgres: z.object({ condition: z.string() }) }),
    }),
  }),
  volumes: z.record(z.string(), z.unknown()),
});

/** The files and names that the compose file of the service is compared with. */
export interface ComposeSurroundings {
  /** Of `service.ts`. */
  readonly source: string;
  readonly dockerfile: string;
  /** The page that says how the service is started. */
  readonly page: string;
  /** Tells if a file of the repository exists, by its path from the folder of the compose file. */
  readonly exists: (...path: string[]) => boolean;
}

/** Returns the problems of the compose file of the service. It is read as data: nothing is run. */
export function composeProblems(text: string, { source, dockerfile, page, exists }: ComposeSurroundings): string[] {
  const { services, volumes } = composeSchema.parse(parse(text));
  const { postgres, service } = services;
  const problems: string[] = [];
  const check = (isTrue: boolean, problem: string): void => {
    if (!isTrue) problems.push(problem);
  };
  const { context } = service.build;

  const command = /^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]';
  const words = JSON.parse(command) as readonly string[];
  check(exists(context, service.build.dockerfile), 'the Dockerfile does not exist');
  check(exists(context, words.at(-1) ?? ''), 'the command runs a file that does not exist');
  check(page.includes(words.join(' ')), 'the command is not the documented one');
  check(Number(/^FROM node:(\d+)/m.exec(dockerfile)?.[1]) >= 20, 'the image has no Node that we support');
  for (const [, from = ''] of dockerfile.matchAll(/^COPY (\S+)/gm)) check(exists(context, from), `no ${from} to copy`);

  for (const name of Object.keys(service.environment)) {
    check(new RegExp(`\\b${name}\\b`).test(source), `the service does not know ${name}`);
  }
  for (const [, name = ''] of source.matchAll(/process\.env\.(\w+)/g)) {
    check(name in service.environment, `the service reads ${name}`);
  }
  for (const name of ['OPENAI_API_KEY', 'POSTGRES_PASSWORD']) {
    const value = service.environment[name] ?? postgres.environment[name];
    check(String(value).startsWith(`\${${name}:?`), `${name} may be missing, or stands in the file`);
  }

  const url = new URL(String(service.environment['PALIMPSEST_POSTGRES_URL']).replace(/\$\{(\w+)\}/, '$1'));
  const { POSTGRES_USER: user, POSTGRES_DB: database } = postgres.environment;
  check(url.hostname in services && url.port === '5432', 'the URL names no database of this file');
  check(url.username === user && url.password === 'POSTGRES_PASSWORD', 'the URL names another user');
  check(url.pathname === `/${database}`, 'the URL names another database');
  check(
    postgres.healthcheck.test.join(' ').includes(`--username ${user} --dbname ${database}`),
    'others are looked for',
  );
  check(service.depends_on.postgres.condition === 'service_healthy', 'the service does not wait for the database');
  const [volume = ''] = postgres.volumes[0]?.split(':') ?? [];
  check(volume in volumes, 'the data have no volume');

  const [, first, last, inside] = /^127\.0\.0\.1:(\d+)-(\d+):(\d+)$/.exec(service.ports[0] ?? '') ?? [];
  check(service.deploy.replicas === 2, 'there are not two of it');
  check(Number(last) - Number(first) + 1 === service.deploy.replicas, 'not each of them has a port of this machine');
  check(Number(inside) === service.environment['PORT'], 'the port is another one than PORT');
  check(dockerfile.includes(`EXPOSE ${inside}\n`), 'the image exposes another port');
  return problems;
}
