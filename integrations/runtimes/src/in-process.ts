import { run, suitesOf } from './suites.js';

// The program of Node, Bun and Deno: `in-process.mjs CONTROL`. Prints the results as JSON.
const [, , control = ''] = process.argv;
console.log(JSON.stringify(await run(suitesOf({ control }))));
