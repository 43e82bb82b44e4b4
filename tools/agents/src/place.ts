import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

/** Words of the rules of the project, and of the first prompt. A condensation hides neither. */
export const ruleMark = 'RULE-4417: amounts are integers of cents; never edit the folder vendored.';
export const taskMark = 'TASK-9026';

/** The folders of a run: a project, and a home directory for the agent. */
export interface Place {
  readonly home: string;
  readonly project: string;
  remove(): Promise<void>;
}

/** Sizes of files, from some lines to a long one. Unit: characters. */
const sizes = [900, 14_000, 2_400, 9_000, 1_200, 24_000, 4_200, 11_000, 6_000, 16_000];
const fileCount = 130;
const pictureCount = 12;

/** Makes a project with files and pictures to read, in a temporary folder. */
export async function makePlace(): Promise<Place> {
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-agents-'));
  const [home, project] = [path.join(folder, 'home'), path.join(folder, 'project')];
  await mkdir(home);
  await mkdir(project);
  for (const name of ['CLAUDE.md', 'AGENTS.md']) {
    await writeFile(path.join(project, name), `# Rules of this project\n\n${ruleMark}\n`);
  }
  for (let number = 0; number < fileCount; number++)
    await writeFile(path.join(project, partName(number)), part(number));
  for (let number = 0; number < pictureCount; number++) {
    await writeFile(path.join(project, pictureName(number)), picture(number));
  }
  await writeFile(path.join(project, documentName), document);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, stdio: 'ignore' });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=Nobody', '-c', 'user.email=nobody@example.org', 'commit', '--quiet', '-m', 'Files');
  return { home, project, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

export function partName(number: number): string {
  return `part-${number}.ts`;
}

export function pictureName(number: number): string {
  return `picture-${number}.png`;
}

export const documentName = 'document.pdf';

/** A word that stands in one file alone: who has read it knows it. */
export function keyOf(number: number): string {
  return `key-${number}-${(number * 7_919 + 104_729).toString(36)}`;
}

/** A name in the middle of a file, which no summary lists, and its line, from 0. */
export function middleOf(number: number): { readonly name: string; readonly line: number } {
  const lines = part(number).split('\n');
  const line = Math.floor(lines.length / 2);
  return { name: /rounded\w+ =/.exec(lines[line] ?? '')?.[0] ?? '', line };
}

function part(number: number): string {
  const size = sizes[number % sizes.length] ?? 0;
  let text = `// ${partName(number)}: ${keyOf(number)}\n`;
  for (let line = 0; text.length < size; line++) {
    text += `export const rounded${number}x${line} = (amount: Money) => scale(amount, ${(number * 37 + line * 11) % 97});\n`;
  }
  return text;
}

/** A PDF of one page. */
const document = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 50>>stream
BT /F1 12 Tf 10 50 Td (Invoices are rounded.) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Size 6/Root 1 0 R>>
%%EOF
`;

/** Writes a picture of 64 by 64 points of one colour each, as a PNG. */
function picture(number: number): Buffer {
  const side = 64;
  const rows = Buffer.alloc(side * (1 + side * 3));
  for (let at = 0; at < rows.length; at++) rows[at] = at % (1 + side * 3) === 0 ? 0 : (at * (number + 3)) % 251;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
