import { parentPort } from 'node:worker_threads';
import { RE2JS } from 're2js';

/** What is searched for now. */
let expression;
let maxLines = 0;

/** Answers what is wrong with the pattern. */
function begin({ pattern, ignoreCase, maxLines: most }) {
  maxLines = most;
  try {
    expression = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return {};
  } catch (error) {
    return { problem: error.message.replace(/^error parsing regexp: /, '') };
  }
}

const utf8 = new TextDecoder();

function encodingOf(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** The numbers of the lines that match. A file with a NUL is no text. */
function matchingLines(bytes) {
  const encoding = encodingOf(bytes);
  if (encoding === undefined && bytes.includes(0)) return [];
  const text = encoding === undefined ? utf8.decode(bytes) : new TextDecoder(encoding).decode(bytes);
  const found = [];
  for (let start = 0, line = 1; start < text.length && found.length < maxLines; line++) {
    const end = text.indexOf('\n', start);
    const stop = end === -1 ? text.length : end;
    const content = text.slice(start, text.charCodeAt(stop - 1) === 13 && stop > start ? stop - 1 : stop);
    if (expression.test(content)) found.push(line);
    start = stop + 1;
  }
  return found;
}

parentPort.on('message', ({ id, bytes, ...search }) =>
  parentPort.postMessage({ id, ...(bytes === undefined ? begin(search) : { lines: matchingLines(bytes) }) }),
);
