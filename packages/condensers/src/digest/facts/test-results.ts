import { oneLine } from '../../authoring/calls/excerpt.js';

/** The tests that one run named, with the names that its runner printed. */
export interface TestResults {
  readonly failing: readonly string[];
  readonly passing: readonly string[];
}

const maximumNames = 60;
const maximumCharacters = 200_000;
const time = '(?:\\s+\\(?\\d+(?:\\.\\d+)?\\s?m?s\\)?)?';

const failing: readonly RegExp[] = [
  /^(?:FAILED|ERROR)\s+(\S+(?:::\S.*?|\.py))(?:\s+-\s.*)?$/, // pytest, its summary
  /^(\S+::\S+)\s+(?:FAILED|ERROR)\b/, // pytest -v
  /^(?:FAIL|ERROR): (\w+ \([\w.]+\))/, // unittest
  /^\s*--- FAIL: (\S+)/, // go
  /^FAIL\t(\S+)/, // go, a package
  /^test (\S+) \.\.\. FAILED$/, // cargo
  /^\s*not ok \d+ -? ?(.+?)(?:\s+#.*)?$/, // TAP
  /* @__PURE__ */ new RegExp(String.raw`^\s*[✕×✗✖]\s+(.+?)${time}$`), // mocha, jest, vitest, node:test
  /^\s*FAIL\s{1,3}(\S.*)$/, // jest, vitest: a file or a test
  /^(\S.* > .+) FAILED$/, // gradle
  /^rspec (\S+:\d+)/,
  /^\s*Failed (\S+(?:\.\S+)+)\s+\[/, // dotnet
];

const passing: readonly RegExp[] = [
  /^PASSED\s+(\S+::\S.*)$/,
  /^(\S+::\S+)\s+PASSED\b/,
  /^(\w+ \([\w.]+\)) \.\.\. ok$/,
  /^\s*--- PASS: (\S+)/,
  /^ok\s+(\S+)\t/,
  /^test (\S+) \.\.\. ok$/,
  /^\s*ok \d+ -? ?(.+?)(?:\s+#.*)?$/,
  /* @__PURE__ */ new RegExp(String.raw`^\s*[✓✔√]\s+(.+?)${time}$`),
  /^\s*PASS\s{1,3}(\S.*)$/,
  /^(\S.* > .+) PASSED$/,
  /^\s*Passed (\S+(?:\.\S+)+)\s+\[/,
];

/** Reads the names of failing tests from a run's output, and the names of those passing tests that `matters` selects. */
export function readTestResults(output: string, matters: (name: string) => boolean): TestResults {
  if (!/fail|error|not ok|pass|rspec|\bok\b|[✕×✗✖✓✔√]/i.test(output)) return { failing: [], passing: [] };
  const found = { failing: new Set<string>(), passing: new Set<string>() };
  for (const raw of output.slice(-maximumCharacters).split('\n')) {
    if (raw.length > 400) continue;
    // Runners colour their output.
    const line = raw.replaceAll(/\u001b\[[\d;]*m/g, '').trimEnd();
    const failed = nameIn(line, failing);
    if (failed !== undefined) found.failing.add(failed);
    else {
      const passed = nameIn(line, passing);
      if (passed !== undefined && matters(passed)) found.passing.add(passed);
    }
  }
  return { failing: [...found.failing].slice(0, maximumNames), passing: [...found.passing].slice(0, maximumNames) };
}

function nameIn(line: string, patterns: readonly RegExp[]): string | undefined {
  for (const pattern of patterns) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined && !name.endsWith(':')) return oneLine(name, 160);
  }
  return undefined;
}
