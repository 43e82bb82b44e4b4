import { expect, test } from 'vitest';
import { onlyLooks, shellFileFacts } from './shell-files.js';

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
  ['', false],
])('only looks: %s is %s', (text, looks) => {
  expect(onlyLooks(text)).toBe(looks);
});

test('quotes that are never closed, and other broken texts, are read as far as they go', () => {
  for (const text of ["cat 'a", 'cat "a\\', 'a >', '>> ', '<<EOF\nrm x', '((((', '\\'])
    expect(() => told(text)).not.toThrow();
});
