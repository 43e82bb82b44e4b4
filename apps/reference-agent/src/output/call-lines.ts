import { onOneLine, shownLines } from '@palimpsest/terminal';

/** A call as the model wrote it, and what it says of it. */
export interface SaidCall {
  readonly name: string;
  readonly arguments: string;
  readonly summary?: string | undefined;
  readonly risk?: string | undefined;
}

/** A call with what the model says of it, which nobody has checked. The input is shown whole: it is what runs. */
export function callLines({ name, arguments: json, summary, risk }: SaidCall): readonly string[] {
  const said = [summary, risk === undefined ? undefined : `risk: ${risk}`].filter((one) => one !== undefined);
  return [
    onOneLine(name),
    ...inputLines(json).map((line) => `  ${shownLines(line)}`),
    ...(said.length === 0 ? [] : [`  the model says: ${onOneLine(said.join(' · '))}`]),
  ];
}

function inputLines(json: string): readonly string[] {
  try {
    const input = JSON.parse(json) as Readonly<Record<string, unknown>>;
    return Object.entries(input).flatMap(([name, value]) => {
      const [first = '', ...more] = (typeof value === 'string' ? value : JSON.stringify(value)).split('\n');
      // A line of a value must not look like another input, or like what is said of the call.
      return [`${onOneLine(name)}: ${first}`, ...more.map((line) => `  | ${line}`)];
    });
  } catch {
    return json.split('\n');
  }
}
