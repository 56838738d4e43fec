'use strict';
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** What takes longest, in seconds of a run on two cores (fuzz: with the requests of CI). Begun late, all would wait for it. */
const SECONDS = require('./durations.json');
const root = path.join(__dirname, '../..');

/** The slowest spec first, also where Jest has no durations of an earlier run yet: in CI. */
module.exports = class SlowestFirst extends Sequencer {
  sort(tests) {
    const seconds = (test) => SECONDS[path.relative(root, test.path)] ?? 0;
    // Jest's own order is stable here: among specs that are not listed, the largest file first.
    return super.sort(tests).sort((a, b) => seconds(b) - seconds(a));
  }
};
