import { expect, test } from 'vitest';
import { estimateTextTokens } from './index.js';

test.each([
  ['', 0],
  // What o200k_base counts.
  ['Please fix the failing test in the parser.', 9],
  ['export const answer = 42;\n', 7],
  ['    return this.items.length;\n', 6],
  ['2026-11-22T18:05:00Z', 13],
  ['  at Object.<anonymous> (/home/user/project/src/index.test.ts:120:15)', 19],
  ['-----', 1],
  ['今日は良い天気です', 6],
  ['Привет, мир!', 5],
])('%j is about %i tokens', (text, tokens) => {
  expect(Math.abs(estimateTextTokens(text) - tokens)).toBeLessThanOrEqual(Math.max(1.5, 0.5 * tokens));
});

test.each([
  // What o200k_base counts, of what a program prints that has lost its way.
  ['line breaks', '\n'.repeat(5_000), 313],
  ['zeros', '\0'.repeat(4_000), 2_000],
  ['code of marks', '[][(![]+[])[+[]]+([![]]+[][[]])[+!+[]+[+[]]]]'.repeat(100), 2_499],
  ['a swearing comic', '!@#$%^&*()'.repeat(600), 4_200],
])('a huge text of %s is no small one', (_, text, tokens) => {
  expect(estimateTextTokens(text) / tokens).toBeGreaterThan(0.65);
  expect(estimateTextTokens(text) / tokens).toBeLessThan(1.5);
});

test.each([
  // What o200k_base counts.
  ['Russian', 'Сначала прочитай файл с настройками, потом исправь ошибку и ещё раз запусти тесты.', 23],
  ['Ukrainian', 'Спочатку прочитай файл налаштувань, потім виправ помилку і ще раз запусти тести.', 28],
  ['Greek', 'Πρώτα διάβασε το αρχείο ρυθμίσεων, μετά διόρθωσε το λάθος και τρέξε ξανά τα τεστ.', 32],
  ['Arabic', 'اقرأ ملف الإعدادات أولا، ثم أصلح الخطأ وشغل الاختبارات مرة أخرى.', 22],
  ['Hebrew', 'קודם קרא את קובץ ההגדרות, אחר כך תקן את השגיאה והרץ שוב את הבדיקות.', 29],
  ['Hindi', 'पहले सेटिंग वाली फ़ाइल पढ़ो, फिर गलती ठीक करो और टेस्ट दोबारा चलाओ।', 23],
  ['Thai', 'อ่านไฟล์การตั้งค่าก่อน แล้วแก้ข้อผิดพลาดและรันการทดสอบอีกครั้ง', 24],
  ['Korean', '먼저 설정 파일을 읽고, 오류를 고친 다음 테스트를 다시 실행해 주세요.', 20],
  ['Japanese', 'まず設定ファイルを読んで、それからエラーを直して、もう一度テストを実行してください。', 26],
  ['Chinese', '请先阅读配置文件,然后修复错误,再运行一次测试。', 16],
])('a sentence in %s is within a quarter: %s', (_, text, tokens) => {
  expect(estimateTextTokens(text) / tokens).toBeGreaterThan(0.75);
  expect(estimateTextTokens(text) / tokens).toBeLessThan(1.25);
});

test('a run of letters that is no word is four characters a token', () => {
  expect(estimateTextTokens('x'.repeat(400))).toBe(100);
});

test('a long text is estimated by samples, and the result grows with it', () => {
  const line = 'const parsed = parse(input); // one of many lines\n';
  const whole = estimateTextTokens(line.repeat(40));
  const sampled = estimateTextTokens(line.repeat(4_000));
  expect(sampled / whole / 100).toBeGreaterThan(0.95);
  expect(sampled / whole / 100).toBeLessThan(1.05);
});

test('samples see every part of a text', () => {
  const prose = 'the quick brown fox jumps over the lazy dog '.repeat(2_000);
  const digits = '0123456789'.repeat(8_800);
  const both = estimateTextTokens(prose + digits);
  const sum = estimateTextTokens(prose) + estimateTextTokens(digits);
  expect(Math.abs(both / sum - 1)).toBeLessThan(0.15);
});
