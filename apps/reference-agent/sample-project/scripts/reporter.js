// A reporter for `node --test` that prints no times, so that the output of two runs can be compared line by line.
import path from 'node:path';

const isFile = (data) =>
  data.nesting === 0 && data.file !== undefined && path.basename(data.name) === path.basename(data.file);

export default async function* reporter(source) {
  let passed = 0;
  let failed = 0;
  for await (const { type, data } of source) {
    if (type === 'test:pass' && !isFile(data)) {
      passed += 1;
    } else if (type === 'test:fail' && data.details?.type !== 'suite' && !(isFile(data) && failed > 0)) {
      failed += 1;
      const where = data.file === undefined ? '' : ` (${path.relative(process.cwd(), data.file)})`;
      const error = data.details.error.cause ?? data.details.error;
      yield `not ok ${failed} - ${data.name}${where}\n`;
      yield `${indent(String(error?.stack ?? error))}\n`;
    }
  }
  yield `\npassed ${passed}, failed ${failed}\n`;
}

function indent(text) {
  return text
    .split('\n')
    .filter((line) => !/\(node:/.test(line))
    .map((line) => `    ${line}`)
    .join('\n');
}
