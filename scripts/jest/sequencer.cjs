'use strict';
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { readBudget } = require('./budget.cjs');

const root = path.join(__dirname, '../..');

/** The spec that costs most first, also where Jest has no durations of an earlier run yet: begun late, all would wait for it. */
module.exports = class CostliestFirst extends Sequencer {
  sort(tests) {
    const { specs } = readBudget();
    const seconds = (test) => specs[path.relative(root, test.path)] ?? 0;
    // Jest's own order is stable here: among specs that are not listed, the largest file first.
    return super.sort(tests).sort((a, b) => seconds(b) - seconds(a));
  }
};
