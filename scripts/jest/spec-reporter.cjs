'use strict';
/**
 * Prints each spec with its failures, and writes the counts for scripts/test.mjs to the file specified in
 * TEST_COUNTS_FILE. Lists the specs in a group (test/harness/group.ts) separately. A file that can't be loaded counts
 * as one failure.
 */
const { writeFileSync } = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '../..');
const isGroup = (file) => file.endsWith('.group.cjs');

function specsOf({ testFilePath, testResults }) {
  const specs = new Map();
  for (const result of testResults) {
    const file = isGroup(testFilePath) ? result.ancestorTitles[0] : path.relative(root, testFilePath);
    if (!specs.has(file)) specs.set(file, { file, passed: 0, failed: 0, skipped: 0, failures: [] });
    const spec = specs.get(file);
    if (result.status === 'failed') {
      spec.failed++;
      spec.failures.push(nameOf(result, testFilePath));
    } else if (result.status === 'passed') spec.passed++;
    else spec.skipped++;
  }
  return [...specs.values()];
}

const nameOf = ({ ancestorTitles, title }, file) =>
  [...(isGroup(file) ? ancestorTitles.slice(1) : ancestorTitles), title].join(' ');

module.exports = class SpecReporter {
  constructor() {
    this.specs = [];
    this.broken = [];
    this.done = 0;
  }

  onTestResult(test, result, { numTotalTestSuites }) {
    this.done++;
    const specs = specsOf(result);
    this.specs.push(...specs);
    if (result.testExecError) this.broken.push(path.relative(root, result.testFilePath));
    const lines = specs.map(({ file, passed, failed, skipped }) => {
      const counts = [`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`];
      return `${failed > 0 ? 'FAIL' : 'ok  '} ${file} (${counts.filter(Boolean).join(', ')})`;
    });
    const seconds = ((result.perfStats.end - result.perfStats.start) / 1000).toFixed(0);
    const head = `[${this.done}/${numTotalTestSuites}, ${seconds} s]`;
    process.stderr.write(`${head} ${lines.length === 1 ? lines[0] : `${lines.length} specs\n${lines.join('\n')}`}\n`);
    for (const { message, origin } of result.console ?? [])
      process.stderr.write(`  printed: ${message}\n${origin.split('\n')[0] ?? ''}\n`);
    if (result.failureMessage) process.stderr.write(`${result.failureMessage}\n`);
  }

  onRunComplete(_contexts, result) {
    const counts = {
      passed: result.numPassedTests,
      failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: result.numPendingTests + result.numTodoTests,
      specs: this.specs,
      broken: this.broken,
    };
    if (process.env.TEST_COUNTS_FILE) writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
  }
};
