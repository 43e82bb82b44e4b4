import { sliceText } from '@palimpsest/events';
import { cutToWidth, onOneLine, widthOf } from '@palimpsest/terminal';

/** A call as the model wrote it. */
interface Call {
  readonly name: string;
  readonly arguments: string;
}

/** The arguments that say most about a call, the most telling first. */
const telling = ['command', 'pattern', 'path', 'query', 'address', 'handle'];

/** A call on one line: its tool and what it is about; a command as in a shell. */
export function callInWords({ name, arguments: json }: Call): string {
  const tool = name === 'run_command' ? '$' : onOneLine(name);
  return `${tool} ${aboutOf(json)}`.trim();
}

/** The calls of a response in a number of columns: all of them, or the first and the number of the others. */
export function callsInWidth(calls: readonly Call[], columns: number): string {
  const [first] = calls;
  if (first === undefined) return '';
  const all = calls.map((call, index) =>
    calls[index - 1]?.name === call.name ? aboutOf(call.arguments) : callInWords(call),
  );
  const whole = all.filter((words) => words !== '').join(', ');
  if (calls.length === 1 || widthOf(whole) <= columns) return cutToWidth(whole, columns);
  const more = ` +${calls.length - 1}`;
  return cutToWidth(callInWords(first), columns - more.length) + more;
}

/** What a call is about: a part of its arguments, on one line. Arguments that are no JSON are shown as they are. */
function aboutOf(json: string): string {
  const value = tellingValue(json);
  return typeof value === 'string' ? onOneLine(sliceText(value, 0, 500)) : '';
}

function tellingValue(json: string): unknown {
  try {
    const found = JSON.parse(json) as Readonly<Record<string, unknown>> | null;
    return telling.map((name) => found?.[name]).find((value) => typeof value === 'string');
  } catch {
    return json;
  }
}
