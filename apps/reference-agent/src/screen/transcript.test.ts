import { expect, test } from 'vitest';
import { plainStyles } from '../../test-support/screen-rig.js';
import { TranscriptItem, Transcript } from './transcript.js';

/** An item of so many lines, twice as many when it is open. */
function item(name: string, lines: number, onDraw: (name: string) => void = () => undefined): TranscriptItem {
  return new TranscriptItem({
    mark: '*',
    opens: true,
    draw: ({ isOpen }) => {
      onDraw(name);
      return Array.from({ length: lines * (isOpen ? 2 : 1) }, (_, line) => `${name}.${line}`);
    },
  });
}

function transcriptOf(count: number, lines: number, onDraw?: (name: string) => void): Transcript {
  const transcript = new Transcript(plainStyles);
  for (let index = 0; index < count; index++) transcript.add(item(`i${index}`, lines, onDraw));
  return transcript;
}

const names = (lines: readonly string[]) => lines.map((line) => line.slice(3));

test('the end is seen, and stays seen when items come', () => {
  const transcript = transcriptOf(3, 2);
  expect(transcript.render(40, 4)).toEqual(['   i1.1', '', ' * i2.0', '   i2.1']);
  transcript.add(item('new', 1));
  expect(names(transcript.render(40, 2))).toEqual(['', 'new.0']);
});

test('scrolled up it stays where it is, and End brings the end back', () => {
  const transcript = transcriptOf(10, 2);
  transcript.render(40, 5);
  transcript.scroll(-3);
  const before = transcript.render(40, 5);
  expect(names(before)).toEqual(['i7.0', 'i7.1', '', 'i8.0', 'i8.1']);
  transcript.add(item('new', 5));
  expect(transcript.render(40, 5)).toEqual(before);
  expect(transcript.isAtEnd).toBe(false);
  transcript.scroll(1_000);
  expect(transcript.isAtEnd).toBe(true);
  expect(names(transcript.render(40, 1))).toEqual(['new.4']);
});

test('each line of a long history is met once, upwards and downwards', () => {
  const transcript = transcriptOf(30, 3);
  transcript.render(40, 7);
  const up: string[] = [];
  for (let at = 0; at < 200; at++) {
    transcript.scroll(-1);
    up.unshift(transcript.render(40, 7)[0] ?? '');
  }
  const all = Array.from({ length: 30 }, (_, index) => [0, 1, 2].map((line) => `i${index}.${line}`)).flat();
  const met = names(up).filter((name) => name !== '');
  expect([...new Set(met)]).toEqual(all.slice(0, new Set(met).size));
  expect(met).toContain('i0.0');
  transcript.toStart();
  const down: string[] = [];
  for (let at = 0; !transcript.isAtEnd; at++) {
    down.push(transcript.render(40, 7)[0] ?? '');
    transcript.scroll(1);
    expect(at).toBeLessThan(200);
  }
  down.push(...transcript.render(40, 7));
  expect(names(down).filter((name) => name !== '')).toEqual(all);
});

test('only what is seen is drawn, also at another width', () => {
  const drawn: string[] = [];
  const transcript = transcriptOf(10_000, 2, (name) => drawn.push(name));
  transcript.render(80, 20);
  transcript.render(60, 20);
  transcript.scroll(-10);
  transcript.render(60, 20);
  expect(drawn.length).toBeLessThan(60);
  drawn.length = 0;
  transcript.render(60, 20);
  expect(drawn).toEqual([]);
});

test('the focus moves over what opens, is marked, is seen, and opens', () => {
  const transcript = transcriptOf(10, 2);
  transcript.add(new TranscriptItem({ mark: '-', draw: () => ['closed for ever'] }));
  transcript.render(40, 6);
  transcript.moveFocus(-1);
  expect(transcript.render(40, 6)).toContain('▌* i9.0');
  for (let moves = 0; moves < 5; moves++) transcript.moveFocus(-1);
  expect(transcript.render(40, 6)).toContain('▌* i4.0');
  transcript.toggle();
  expect(names(transcript.render(40, 6))).toEqual(expect.arrayContaining(['i4.0', 'i4.3']));
  transcript.moveFocus(1);
  expect(transcript.render(40, 6)).toContain('▌* i5.0');
  transcript.leaveFocus();
  expect(transcript.render(40, 2).at(-1)).toBe(' - closed for ever');
});

test('without a focus the last item of the window opens, and all open and close', () => {
  const transcript = transcriptOf(10, 2);
  transcript.render(40, 6);
  transcript.toggle();
  expect(names(transcript.render(40, 5))).toEqual(['', 'i9.0', 'i9.1', 'i9.2', 'i9.3']);
  transcript.toggleAll();
  expect(transcript.items.every(({ isOpen }) => isOpen)).toBe(true);
  transcript.add(item('later', 1));
  expect(transcript.items.at(-1)?.isOpen).toBe(true);
  transcript.toggleAll();
  expect(transcript.items.some(({ isOpen }) => isOpen)).toBe(false);
});

test('an item that is taken back leaves no trace, also where the window began with it', () => {
  const transcript = transcriptOf(3, 2);
  const last = item('last', 4);
  transcript.add(last);
  transcript.render(40, 3);
  transcript.scroll(-1);
  transcript.remove(last);
  expect(names(transcript.render(40, 3))).toEqual(['', 'i2.0', 'i2.1']);
});

test('an item that becomes shorter while it is scrolled past its new end is still seen', () => {
  const transcript = transcriptOf(2, 1);
  const long = item('long', 20);
  long.isOpen = true;
  transcript.add(long, item('end', 1));
  transcript.render(40, 5);
  transcript.scroll(-3);
  transcript.render(40, 5);
  long.isOpen = false;
  const lines = names(transcript.render(40, 5));
  expect(lines.length).toBe(5);
  expect(lines).toContain('end.0');
});

test('an item that a key has opened stays in view when more of it has come, until the window is moved', () => {
  const transcript = new Transcript(plainStyles);
  let lines = 1;
  const growing = new TranscriptItem({
    mark: '*',
    opens: true,
    draw: () => Array.from({ length: lines }, (_, line) => `growing.${line}`),
  });
  transcript.add(item('i0', 1), growing);
  const grow = (): readonly string[] => {
    lines += 10;
    growing.changed();
    transcript.keepInView(growing);
    return names(transcript.render(40, 4));
  };
  transcript.render(40, 4);
  transcript.toggle();
  expect(grow()[0]).toBe('growing.0');
  transcript.toEnd();
  expect(grow()[3]).toBe('growing.20');
});
