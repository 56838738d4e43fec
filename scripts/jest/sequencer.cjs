'use strict';
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { readBudget } = require('./budget.cjs');

const root = path.join(__dirname, '../..');

/** Reads the file written by scripts/test.mjs. */
const specsOfGroup = (file) => JSON.parse(/\[[^\]]*\]/.exec(readFileSync(file, 'utf8'))?.[0] ?? '[]');

/**
 * Runs the most expensive spec first, even before Jest knows durations from an earlier run. Otherwise, all others would
 * end up waiting for it.
 */
module.exports = class CostliestFirst extends Sequencer {
  sort(tests) {
    const { specs } = readBudget();
    const of = (file) => specs[file] ?? 0;
    const seconds = ({ path: file }) =>
      file.endsWith('.group.cjs')
        ? specsOfGroup(file).reduce((sum, spec) => sum + of(spec), 0)
        : of(path.relative(root, file));
    // Jest's own order is stable here. Among specs that aren't listed, the largest file comes first.
    return super.sort(tests).sort((a, b) => seconds(b) - seconds(a));
  }
};
