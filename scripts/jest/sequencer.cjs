'use strict';
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { readBudget } = require('./budget.cjs');

const root = path.join(__dirname, '../..');

/** As scripts/test.mjs has written them. */
const specsOfGroup = (file) => JSON.parse(/\[[^\]]*\]/.exec(readFileSync(file, 'utf8'))?.[0] ?? '[]');

/** The spec that costs most first, also where Jest has no durations of an earlier run yet: begun late, all would wait for it. */
module.exports = class CostliestFirst extends Sequencer {
  sort(tests) {
    const { specs } = readBudget();
    const of = (file) => specs[file] ?? 0;
    const seconds = ({ path: file }) =>
      file.endsWith('.group.cjs')
        ? specsOfGroup(file).reduce((sum, spec) => sum + of(spec), 0)
        : of(path.relative(root, file));
    // Jest's own order is stable here: among specs that are not listed, the largest file first.
    return super.sort(tests).sort((a, b) => seconds(b) - seconds(a));
  }
};
