import { expect, test } from 'vitest';
import { onlyLooks, shellFileFacts, writesBeforeFailure } from './shell-files.js';

const told = (text: string, known: readonly string[] = []) =>
  shellFileFacts(text, (path) => known.includes(path)).map((fact) =>
    fact.kind === 'file' ? `${fact.operation} ${fact.path}` : '',
  );

test.each([
  ['cat a.ts', ['read a.ts']],
  ["sed -n '1,20p' src/a.ts", ['read src/a.ts']],
  ['head -n 20 a.ts | tail -5', ['read a.ts']],
  ["nl -ba 'with space.md'", ['read with space.md']],
  ['rm -rf a.ts b', ['deleted a.ts', 'deleted b']],
  ['cd src && git rm old.ts; git mv a.ts b.ts', ['deleted old.ts', 'deleted a.ts', 'created b.ts']],
  ['mv a b c dir', ['deleted a', 'deleted b', 'deleted c', 'created dir']],
  ['echo x > new.txt', ['created new.txt']],
  ['echo x >> log.txt 2>&1', ['modified log.txt']],
  ['FOO=1 sudo tee out.txt < in.txt', ['created out.txt', 'created in.txt']],
  ["cat > a.py <<'EOF'\nrm b.py\nEOF\npython a.py", ['created a.py']],
  ["sed -i 's/a/b/' src/a.ts", ['modified src/a.ts']],
  ["sed -Ei 's/a/b/' src/a.js", ['modified src/a.js']],
  ["sed -nE 's/i/b/p' src/a.js", ['read src/a.js']],
  ["perl -0pi -e 's/a/b/' src/a.js", ['modified src/a.js']],
  ['perl -MList::Util -e 1 src/a.js', []],
  ['git rm --cached a.ts; git rm -n b.ts', []],
  ['git rm -r a.ts', ['deleted a.ts']],
  ['touch a && cp a b', ['created a', 'created b']],
  ['npm test 2>/dev/null > /dev/null', []],
  ['rm *.log "$DIR/x" `ls`', []],
  ['find . -name "*.ts" -exec cat {} \\;', []],
  ['python -c \'open("a", "w")\'', []],
  ['', []],
])('%s', (text, files) => {
  expect(told(text)).toEqual(files);
});

test('what is written over is modified', () => {
  expect(told('echo x > a.ts; cp b.ts a.ts', ['a.ts'])).toEqual(['modified a.ts', 'modified a.ts']);
});

test.each([
  ['grep -rn x src | head -20', true],
  ['cd src && ls -la', true],
  ['git status --short', true],
  ['git diff HEAD~1 -- a.ts', true],
  ['FOO=1 cat a.ts', true],
  ['git commit -m x', false],
  ['npm test', false],
  ['ls > files.txt', false],
  ['sed -i s/a/b/ a.ts', false],
  ['sed -Ei s/a/b/ a.ts', false],
  ['find . -name "*.ts"', true],
  ['find . -name "*.ts" -exec grep -l x {} \\;', true],
  ['find . -name "*.log" -delete', false],
  ['find . -name "*.log" -exec rm {} \\;', false],
  ['git branch', true],
  ['git branch -vv --all', true],
  ['git branch --contains abc', true],
  ['git branch topic', false],
  ['git branch -D topic', false],
  ['git branch --delete topic', false],
  ['git remote -v', true],
  ['git remote add origin x', false],
  ['', false],
])('only looks: %s is %s', (text, looks) => {
  expect(onlyLooks(text)).toBe(looks);
});

test.each([
  { text: "cat > src/new.js <<'EOF'\nlet a;\nEOF\nnode --test", told: ['created src/new.js'] },
  { text: 'sed -i s/a/b/ a.js && npm test', told: ['modified a.js'] },
  { text: 'cd w && cat b.js &&\n cp b.js c.js && git rm d.js && npm test', told: ['created c.js', 'deleted d.js'] },
  { text: 'npm ci; rm a.js; npm test', told: ['deleted a.js'] },
  // Nothing shows that these ran.
  { text: 'rm a.js', told: [] },
  { text: 'npm test > out.txt', told: [] },
  { text: 'npm run lint && rm a.js && npm test', told: [] },
  { text: 'npm run lint && (cd w; rm a.js); npm test', told: [] },
  { text: 'git commit -m x && rm a.js && npm test', told: [] },
  { text: 'test -d w || rm a.js; npm test', told: [] },
  { text: 'if test -d w\nthen\nrm a.js\nfi\nnpm test', told: [] },
  { text: 'rm a.js 2>/dev/null; npm test', told: [] },
  // Their output shows that they did not.
  { text: 'sed -i s/a/b/ a.js && rm b.js && npm test', output: "sed: can't read a.js: No such file", told: [] },
  { text: 'cd w && rm b.js && npm test', output: 'bash: line 1: cd: w: No such file or directory', told: [] },
  { text: 'echo x > w/a.js; npm test', output: 'bash: line 1: w/a.js: Permission denied', told: [] },
  { text: 'touch a.js; git rm b.js && npm test', output: "fatal: pathspec 'b.js' did not", told: ['created a.js'] },
  { text: 'touch a.js; (', output: 'bash: -c: line 2: syntax error: unexpected end of file', told: [] },
])('of $text, which failed, $told is told', ({ text, output = 'not ok 1', told }) => {
  const facts = writesBeforeFailure(text, output, () => false);
  expect(facts.map((fact) => fact.kind === 'file' && `${fact.operation} ${fact.path}`)).toEqual(told);
});

test('quotes that are never closed, and other broken texts, are read as far as they go', () => {
  for (const text of ["cat 'a", 'cat "a\\', 'a >', '>> ', '<<EOF\nrm x', '((((', '\\'])
    expect(() => told(text)).not.toThrow();
});
