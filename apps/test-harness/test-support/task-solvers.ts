import type { TaskDraft } from '../src/live/tasks/task.js';

type Solver = (task: Pick<TaskDraft, 'instruction' | 'files'>) => Readonly<Record<string, string>>;

/** Programs that solve a task by its instruction and its files alone: what is asked for can be known. */
export const solvers: Readonly<Record<string, Solver>> = {
  'early-constants': ({ files }) => {
    const limits = new Map(
      namesIn(files, 'modules').map((file) => [
        file.slice(9, -3),
        found(files, file, /^export const LIMIT_\d+ = (\d+);/m),
      ]),
    );
    const lines = [...(files['questions.md'] ?? '').matchAll(/^service (\d+) uses modules m(\d+) and m(\d+)$/gm)];
    return inFives(
      'answers/a',
      lines.map(([, service, one = '', other = '']) => `service ${service}: ${limits.get(one)} ${limits.get(other)}`),
    );
  },
  'rules-once': ({ instruction, files }) => {
    const rule = (pattern: RegExp) => pattern.exec(instruction)?.[1] ?? '';
    return Object.fromEntries(
      namesIn(files, 'orders').map((file) => {
        const [, number, region, amount] = /^Order (\d+) of the (\w+): (\d+) pieces\.$/m.exec(files[file] ?? '') ?? [];
        const code = rule(new RegExp(`orders of the ${region} carry the code (\\d+)`));
        const lines = [
          `OFFICE ${rule(/OFFICE (\d+)/)}`,
          `${number} ${code} ${amount}`,
          `CLOSED BY ${rule(/CLOSED BY (\d+)/)}`,
        ];
        return [file.replace('orders', 'slips'), lines.join('\n')];
      }),
    );
  },
  refactoring: ({ files }) =>
    Object.fromEntries(
      namesIn(files, 'src').map((file) => {
        const name = found(files, 'names.md', new RegExp(`^In ${file.slice(4, -3)} the call becomes (\\w+)\\.$`, 'm'));
        return [file, (files[file] ?? '').replace('legacyRate', name)];
      }),
    ),
  'early-log': ({ files }) => {
    const logs = namesIn(files, 'logs')
      .map((file) => files[file])
      .join('\n');
    const names = (files['failure.md'] ?? '').split('\n').filter((line) => line.includes('.limit.'));
    return inFives(
      'restored/r',
      names.map((name) => `${name} = ${new RegExp(`: ${name} was (\\d+), is`).exec(logs)?.[1]}`),
    );
  },
  notes: ({ files }) => {
    const lines = namesIn(files, 'documents').map(
      (file) => `${file.slice(10, -3)}: ${found(files, file, /The finding of this document is (\d+)\./)}`,
    );
    return { ...inFives('notes/n', lines), 'summary.txt': [...lines].reverse().join('\n') };
  },
  'changes-of-mind': ({ files }) => {
    const [now, first] = [new Map<string, string>(), new Map<string, string>()];
    const written: Record<string, string> = {};
    for (const file of namesIn(files, 'letters')) {
      const letter = files[file] ?? '';
      const [, said = '', value = ''] = /^The (\w+) gets the number (\d+)\.$/m.exec(letter) ?? [];
      const back = /: the (\w+) gets the number again/.exec(letter)?.[1];
      if (said !== '' && !first.has(said)) first.set(said, value);
      now.set(back ?? said, back === undefined ? value : (first.get(back) ?? ''));
      const [, one = '', other = ''] = /number of the (\w+), and with that of the (\w+)\./.exec(letter) ?? [];
      written[file.replace('letters', 'answers').replace('.md', '.txt')] =
        `${one}: ${now.get(one)}\n${other}: ${now.get(other)}`;
    }
    const parts = [...now.keys()].sort();
    return { ...written, 'plan.txt': parts.map((part) => `${part}: ${now.get(part)}`).join('\n') };
  },
};

function namesIn(files: TaskDraft['files'], folder: string): readonly string[] {
  return Object.keys(files)
    .filter((file) => file.startsWith(`${folder}/`))
    .sort();
}

function found(files: TaskDraft['files'], file: string, pattern: RegExp): string {
  return pattern.exec(files[file] ?? '')?.[1] ?? '';
}

function inFives(name: string, lines: readonly string[]): Record<string, string> {
  const pieces: Record<string, string> = {};
  lines.forEach((line, index) => {
    const file = `${name}${Math.floor(index / 5) + 1}.txt`;
    pieces[file] = pieces[file] === undefined ? line : `${pieces[file]}\n${line}`;
  });
  return pieces;
}
