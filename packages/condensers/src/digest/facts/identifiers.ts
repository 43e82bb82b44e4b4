import { wordsOfName } from '../../authoring/calls/arguments.js';
import type { CallArguments } from '../../authoring/calls/arguments.js';
import type { Fact } from './fact.js';

const identifierWords = new Set([
  'id',
  'ids',
  'uuid',
  'number',
  'sha',
  'hash',
  'commit',
  'branch',
  'ref',
  'tag',
  'url',
  'uri',
  'email',
  'phone',
  'code',
  'reference',
]);
const secretWords = new Set([
  'password',
  'passwd',
  'secret',
  'token',
  'apikey',
  'authorization',
  'credential',
  'credentials',
]);
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
const address = /\bhttps?:\/\/[^\s"'`<>()[\]{}|\\^]{4,200}/g;
const numberedAddress = /\bhttps?:\/\/[^\s"'`<>()[\]{}|\\^]{4,200}\/\d+\b/g;
const hash = /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/g;
const field =
  /"((?:\w*(?:_id|Id|ID))|id|\w*(?:number|Number|reference|sha|uuid|email|url))"\s*:\s*(?:"([^"\s]{2,120})"|(\d{3,}))/g;
const coded = /(?<![\w:.-])(?:(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{5,16}|[a-z]+(?:_[a-z]+)*_\d{3,})(?![\w:.-])/g;
const plainValue = /^[\w.@:/+#-]{2,120}$/;
const maximumOfCall = 20;
const maximumOfAnswer = 12;
const maximumCharacters = 20_000;

/**
 * Returns the identifiers in a call's arguments, verbatim: values of arguments with such names, and ids, hashes and
 * addresses in texts.
 */
export function usedIdentifiers(call: CallArguments): readonly Fact[] {
  const found = new Map<string, string>();
  for (const { key, words, value } of call.leaves) {
    if (words.some((word) => secretWords.has(word)) || typeof value === 'boolean') continue;
    const text = String(value);
    if (identifierWords.has(words.at(-1) ?? '') && plainValue.test(text)) found.set(text, key);
    else if (typeof value === 'string' && value.length <= 2_000) {
      for (const match of matches(value, [uuid, address, hash])) found.set(match, '');
    }
  }
  return facts(found, maximumOfCall, true);
}

/**
 * Returns the identifiers in an answer, verbatim. The answer of a service is data. A command prints much else, so only
 * commits, ids in fields and addresses that end in a number (an issue, a pull request) are taken from its output.
 */
export function answeredIdentifiers(body: string, from: 'service' | 'command'): readonly Fact[] {
  const text = body.slice(0, maximumCharacters);
  const found = new Map<string, string>();
  for (const [, key = '', quoted, plain] of text.matchAll(field)) {
    if (!wordsOfName(key).some((word) => secretWords.has(word))) found.set(quoted ?? plain ?? '', key);
  }
  const patterns = from === 'service' ? [uuid, address, coded] : [numberedAddress];
  for (const match of matches(text, patterns)) if (!found.has(match)) found.set(match, '');
  const commit = /^\[[^\]\n]{0,80}?\b([0-9a-f]{7,40})\]/m.exec(text)?.[1];
  if (commit !== undefined) found.set(commit, 'commit');
  return facts(found, maximumOfAnswer, false);
}

function matches(text: string, patterns: readonly RegExp[]): readonly string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([match]) => match.replace(/[.,;:!?]+$/, '')));
}

function facts(found: ReadonlyMap<string, string>, limit: number, used: boolean): readonly Fact[] {
  return [...found]
    .filter(([value]) => value !== '')
    .slice(0, limit)
    .map(([value, label]) => ({ kind: 'identifier', label, value, ...(used ? { used } : {}) }));
}
