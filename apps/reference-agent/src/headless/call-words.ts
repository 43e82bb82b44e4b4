import { onOneLine } from '@palimpsest/terminal';

/** The arguments that say most about a call, the most telling first. */
const telling = ['command', 'pattern', 'path', 'query', 'event_id', 'address', 'handle', 'message'];

/** A call on one line: its tool and what it is about. */
export function callInWords({ name, arguments: json }: { readonly name: string; readonly arguments: string }): string {
  const about = aboutOf(json);
  return about === undefined ? onOneLine(name) : `${onOneLine(name)} ${onOneLine(about)}`;
}

function aboutOf(json: string): string | undefined {
  try {
    const found = JSON.parse(json) as Readonly<Record<string, unknown>> | null;
    return telling.map((name) => found?.[name]).find((value) => typeof value === 'string');
  } catch {
    return json;
  }
}
