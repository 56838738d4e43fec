'use strict';
const { writeFileSync } = require('node:fs');

/**
 * Leaves the counts of a jest run, and those of each file that failed, in the file that TEST_COUNTS_FILE names. A suite
 * that does not load counts as one failure.
 */
module.exports = class CountReporter {
  onRunComplete(_contexts, result) {
    const failedFiles = result.testResults
      .filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError)
      .map((file) => ({
        path: file.testFilePath,
        passed: file.numPassingTests,
        failed: file.numFailingTests || 1,
        skipped: file.numPendingTests + file.numTodoTests,
        failures: file.testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      }));
    const counts = {
      passed: result.numPassedTests,
      failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: result.numPendingTests + result.numTodoTests,
      failedFiles,
    };
    writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
  }
};
