import { expect, it } from 'vitest';
import { withoutIds } from './without-ids.js';

const place = { home: '/tmp/palimpsest-agents-a1/home', project: '/tmp/palimpsest-agents-a1/project' };
const other = { home: '/tmp/palimpsest-agents-b2/home', project: '/tmp/palimpsest-agents-b2/project' };

it('makes two runs of one script the same, and leaves every other difference', () => {
  const line = (folder: string, id: string, text: string) =>
    JSON.stringify({
      id,
      parentId: id,
      timestamp: id,
      text,
      path: `${folder}/a.ts`,
      tools: [{ name: 'recall' }, { name: 'read' }],
    });
  const first = withoutIds([line(place.project, '1', 'A')], place);
  expect(withoutIds([line(other.project, '2', 'A')], other)).toBe(first);
  expect(withoutIds([line(other.project, '2', 'B')], other)).not.toBe(first);
  expect(first).not.toContain('recall');
});
