import { ParseError } from './errors.js';

/**
 * Cuts an expression into tokens:
 *
 * - `number`: `12`, `3.75`, `.5`, `1e-3`; digits may be grouped by a thin or a no-break space, never by a comma;
 * - `unit`: letters, degree and prime signs; a name of two words is put together by the parser;
 * - `operator`: `+ - * / ^ ( )`, and the signs `× · ÷ −` and `²`, `³` as what they stand for;
 * - `keyword`: `in`, `to`, `as` before a unit, which ask for a conversion.
 *
 * Every token knows where it began, so that a later stage can point at it.
 */

const operators = new Map([
  ['+', '+'],
  ['-', '-'],
  ['−', '-'],
  ['*', '*'],
  ['×', '*'],
  ['·', '*'],
  ['/', '/'],
  ['÷', '/'],
  ['^', '^'],
  ['(', '('],
  [')', ')'],
]);

const superscripts = new Map([
  ['²', '2'],
  ['³', '3'],
]);

const isSpace = (character) => /\s/u.test(character);
const isDigit = (character) => character >= '0' && character <= '9';
const isUnitCharacter = (character) => /[\p{L}°′″µμ]/u.test(character);
const isGroupingSpace = (character) => character === '\u2009' || character === '\u00a0' || character === '\u202f';

export function tokenize(source) {
  const tokens = [];
  let offset = 0;
  while (offset < source.length) {
    const character = source[offset];
    if (isSpace(character)) {
      offset += 1;
    } else if (isDigit(character) || (character === '.' && isDigit(source[offset + 1] ?? ''))) {
      offset = readNumber(source, offset, tokens);
    } else if (isUnitCharacter(character)) {
      offset = readUnit(source, offset, tokens);
    } else if (superscripts.has(character)) {
      tokens.push({ type: 'operator', text: '^', offset });
      tokens.push({ type: 'number', text: superscripts.get(character), offset });
      offset += 1;
    } else if (operators.has(character)) {
      tokens.push({ type: 'operator', text: operators.get(character), offset });
      offset += 1;
    } else {
      throw new ParseError(`unexpected character '${character}'`, source, offset);
    }
  }
  markKeywords(tokens);
  return tokens;
}

function readNumber(source, start, tokens) {
  let offset = start;
  let text = '';
  const takeDigits = () => {
    while (offset < source.length) {
      const character = source[offset];
      if (isDigit(character)) text += character;
      else if (!(isGroupingSpace(character) && isDigit(source[offset + 1] ?? ''))) return;
      offset += 1;
    }
  };
  takeDigits();
  if (source[offset] === '.') {
    text += '.';
    offset += 1;
    takeDigits();
  }
  const exponent = /^e[+-]?\d+/i.exec(source.slice(offset));
  if (exponent !== null && !isUnitCharacter(source[offset + exponent[0].length] ?? '')) {
    text += exponent[0];
    offset += exponent[0].length;
  }
  if (source[offset] === ',') throw new ParseError('digits are grouped by thin spaces, not by commas', source, offset);
  tokens.push({ type: 'number', text, offset: start });
  return offset;
}

function readUnit(source, start, tokens) {
  let offset = start;
  while (offset < source.length && isUnitCharacter(source[offset])) offset += 1;
  // A hyphen belongs to the name when letters follow at once: 'light-year', and not '3 ft -1 in'.
  if (source[offset] === '-' && /\p{L}{3}/u.test(source.slice(offset + 1, offset + 4))) {
    offset += 1;
    while (offset < source.length && isUnitCharacter(source[offset])) offset += 1;
  }
  tokens.push({ type: 'unit', text: source.slice(start, offset), offset: start });
  return offset;
}

/** 'in' is a keyword after a quantity when a unit follows it, and an inch everywhere else. */
function markKeywords(tokens) {
  for (let index = 1; index < tokens.length - 1; index++) {
    const token = tokens[index];
    const previous = tokens[index - 1];
    if (token.type !== 'unit' || tokens[index + 1].type !== 'unit') continue;
    const afterQuantity = previous.type === 'unit' || previous.text === ')';
    const isWord = token.text === 'to' || token.text === 'as';
    if (isWord || (token.text === 'in' && afterQuantity)) tokens[index] = { ...token, type: 'keyword' };
  }
}
