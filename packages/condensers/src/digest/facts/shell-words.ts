/** One simple command of a shell text. */
export interface ShellCommand {
  readonly words: readonly string[];
  /** The files to which it writes with `>` or `>>`. */
  readonly writes: readonly { readonly path: string; readonly appends: boolean }[];
  /**
   * The operator between the previous command and this one. `;` stands for every operator that lets it run in any case, and for
   * the first command.
   */
  readonly after: Joint;
}

/** The operator that joins two commands. */
export type Joint = '&&' | '||' | ';';

/**
 * Returns the simple commands of a shell text, approximately: enough to see which programs run on which files. This is
 * not a shell parser. Texts passed to a program (`<<EOF`) are left out.
 */
export function shellCommands(text: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let writes: { path: string; appends: boolean }[] = [];
  let redirect: '>' | '>>' | undefined;
  let after: Joint = ';';
  const end = (joint: Joint): void => {
    const isEmpty = words.length === 0 && writes.length === 0;
    if (!isEmpty) commands.push({ words: withoutPrefix(words), writes, after });
    // A line may end behind `&&`.
    if (!isEmpty || joint !== ';') after = joint;
    words = [];
    writes = [];
    redirect = undefined;
  };
  for (const { word, operator } of tokens(withoutHereTexts(text))) {
    if (operator === '>' || operator === '>>') redirect = operator;
    else if (operator === '<') redirect = undefined;
    else if (operator !== undefined) end(operator);
    else if (redirect !== undefined) {
      if (!word.startsWith('&') && word !== '/dev/null') writes.push({ path: word, appends: redirect === '>>' });
      redirect = undefined;
    } else words.push(word);
  }
  end(';');
  return commands;
}

type Token = { readonly word: string; readonly operator?: Joint | '>' | '>>' | '<' };

function* tokens(text: string): Generator<Token> {
  let word = '';
  let inWord = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    if (character === "'" || character === '"') {
      const close = closingQuote(text, index);
      word += text.slice(index + 1, close);
      inWord = true;
      index = close;
    } else if (character === '\\' && index + 1 < text.length) {
      word += text[++index] === '\n' ? '' : (text[index] as string);
      inWord = true;
    } else if (/[\s;|&<>()]/.test(character)) {
      const isNumbered = character === '>' && /^[012]$/.test(word);
      if (inWord && !isNumbered) yield { word };
      word = '';
      inWord = false;
      if (character === '>' || character === '<') {
        if (text[index + 1] === character) index++;
        const appends = text[index - 1] === character && character === '>';
        if (text[index + 1] === '&') index += 2;
        else yield { word: '', operator: appends ? '>>' : character };
      } else if ((character === '&' || character === '|') && text[index + 1] === character) {
        index++;
        yield { word: '', operator: character === '&' ? '&&' : '||' };
      } else if (character === '\n' || /[;|&()]/.test(character)) yield { word: '', operator: ';' };
    } else {
      word += character;
      inWord = true;
    }
  }
  if (inWord) yield { word };
}

function closingQuote(text: string, open: number): number {
  const quote = text[open] as string;
  for (let index = open + 1; index < text.length; index++) {
    if (quote === '"' && text[index] === '\\') index++;
    else if (text[index] === quote) return index;
  }
  return text.length;
}

function withoutHereTexts(text: string): string {
  return text.replaceAll(/<<-?\s*(['"]?)(\w+)\1([^\n]*)\n[\s\S]*?(?:\n\s*\2[ \t]*(?=\n|$)|$)/g, '$3\n');
}

/** The command without variable assignments, and without programs that only run another one. */
function withoutPrefix(words: readonly string[]): readonly string[] {
  let index = 0;
  while (
    index < words.length &&
    /^(?:[A-Za-z_]\w*=|sudo$|time$|nohup$|env$|exec$|command$)/.test(words[index] as string)
  )
    index++;
  if (words[index] === 'timeout') index += 2;
  return words.slice(index);
}
