import { h } from '../browser/dom.js';
import type { GivenFile } from './session-run.js';

let given = 0;

/** Returns a text that a person gave, with an id of its own. */
export function givenFile(name: string, size: number, open: GivenFile['open'], modifiedAt?: number): GivenFile {
  return { id: ++given, name, size, open, ...(modifiedAt !== undefined && { modifiedAt }) };
}

function fromFile(file: File): GivenFile {
  const open = (): Promise<Blob> => Promise.resolve(file);
  return givenFile(file.webkitRelativePath || file.name, file.size, open, file.lastModified);
}

/** Where a person drops, chooses or pastes logs, or takes the sample. */
export function inputSection(take: (files: readonly GivenFile[]) => void, takeSample: () => void): HTMLElement {
  const chooser = h('input', { type: 'file', id: 'files', multiple: true, class: 'chooser' });
  chooser.addEventListener('change', () => {
    take([...(chooser.files ?? [])].map(fromFile));
    // The same file can be chosen again, as after it grew.
    chooser.value = '';
  });
  const zone = h(
    'div',
    { class: 'drop' },
    h('label', { for: 'files' }, 'Choose logs'),
    chooser,
    h('p', {}, 'or drop them, or a folder of them, anywhere on this page'),
  );
  dropOn(document.body, zone, take);
  const text = h('textarea', {
    id: 'pasted',
    rows: 6,
    spellcheck: 'false',
    placeholder: '[{"role":"user","content":"…"}, …]',
  });
  const replayText = (): void => {
    const blob = new Blob([text.value]);
    if (text.value.trim() !== '') take([givenFile('pasted text', blob.size, () => Promise.resolve(blob))]);
  };
  return h(
    'section',
    { 'aria-labelledby': 'give' },
    h('h2', { id: 'give' }, 'Replay your own sessions'),
    zone,
    h(
      'details',
      {},
      h('summary', {}, 'Paste a log or a list of messages'),
      h('label', { for: 'pasted' }, 'A log of an agent, or the messages of a conversation as JSON'),
      text,
      h('button', { type: 'button', onclick: replayText }, 'Replay the text'),
    ),
    h(
      'details',
      {},
      h('summary', {}, 'Where agents keep their logs'),
      h(
        'dl',
        { class: 'places' },
        ...places.flatMap(([agent, place]) => [h('dt', {}, agent), h('dd', {}, h('code', {}, place))]),
      ),
      h('p', { class: 'note' }, 'Logs of more than 20 kinds are recognised by what they hold.'),
    ),
    h('p', {}, h('button', { type: 'button', id: 'take-sample', onclick: takeSample }, 'Show the sample')),
  );
}

const places: readonly (readonly [agent: string, place: string])[] = [
  ['Claude Code', '~/.claude/projects/'],
  ['Codex', '~/.codex/sessions/'],
  ['pi', '~/.pi/agent/sessions/'],
  ['Gemini CLI', '~/.gemini/tmp/<project>/chats/'],
  ['opencode', 'the output of: opencode export <session>'],
];

/** Lets a person drop files and folders on an element; the zone shows where. */
function dropOn(element: HTMLElement, zone: HTMLElement, take: (files: readonly GivenFile[]) => void): void {
  element.addEventListener('dragover', (event) => {
    event.preventDefault();
    zone.classList.add('over');
  });
  element.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) zone.classList.remove('over');
  });
  element.addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('over');
    const entries = [...(event.dataTransfer?.items ?? [])].flatMap((item) => item.webkitGetAsEntry() ?? []);
    const files = [...(event.dataTransfer?.files ?? [])];
    void (entries.length > 0 ? filesBelow(entries) : Promise.resolve(files.map(fromFile))).then((found) => {
      if (found.length > 0) take(found);
    });
  });
}

async function filesBelow(entries: readonly FileSystemEntry[]): Promise<readonly GivenFile[]> {
  const files: GivenFile[] = [];
  for (const entry of entries) {
    if (entry.isFile) files.push(fromFile(await fileOf(entry as FileSystemFileEntry)));
    else files.push(...(await filesBelow(await entriesIn(entry as FileSystemDirectoryEntry))));
  }
  return files;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}

/** A browser lists a folder in parts of a hundred; the last part is empty. */
async function entriesIn(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (part.length === 0) return all;
    all.push(...part);
  }
}
