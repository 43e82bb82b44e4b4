import { readFileSync } from 'node:fs';
import { cpuOf } from '../measure.js';
import type { FirstSubject } from './first-calls.js';
import type { History } from './histories.js';

// A process that takes one step: prints what it takes. Unit: milliseconds of CPU.
const [, , module = '', index, file = ''] = process.argv;
const { firstSubjects } = (await import(module)) as { readonly firstSubjects: readonly FirstSubject[] };
const { start, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as History;
const [part] = rest.steps;
const subject = await firstSubjects[Number(index)]?.load();
if (part === undefined || subject === undefined) throw new Error(`there is no subject ${index}`);
const step = await subject.begin({ start, ...rest });
console.log(await cpuOf(() => step(part)));
