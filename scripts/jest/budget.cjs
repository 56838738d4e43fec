'use strict';
/**
 * What the proof may cost: CPU seconds of each lane and spec on a machine where the unit specs take `UNIT_SECONDS`. A run is
 * measured by what its own unit specs took, so that a slow or busy machine changes little. Raising a number in budget.json, or
 * a reason to be above the ceilings of the fast lane, is a line that somebody reviews.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const FILE = path.join(__dirname, 'budget.json');
/**
 * How much more than its budget a lane and a spec may take, and a spec in seconds of the machine where the unit specs take
 * `UNIT_SECONDS`: whoever is first in a process pays up to five for code that is not yet compiled. The same commit came to
 * 5.8 to 7.2 times its unit specs, at rest and at a load of 9. In CI the other lanes run beside chaos and faults, while their unit specs ran alone: the slow lane took 623 s there and 467 s alone.
 */
const SLACK = { fast: { lane: 1.4, spec: 2, seconds: 6 }, others: { lane: 2, spec: 3, seconds: 8 } };
/** Of the fast lane, in seconds of that machine. */
const CEILINGS = { spec: 6, test: 1 };
/** What the clock of a busy machine adds to a single test. */
const CEILING_SLACK = 2;
const UNIT_SECONDS = 40;
/** Specs that take less are not listed. */
const LISTED_SECONDS = 1;

const readBudget = () => JSON.parse(readFileSync(FILE, 'utf8'));

/** CPU seconds of the fast unit specs in this run: the measure of all others. `null` when they did not all run. */
function unitSeconds(costs, specs) {
  const units = specs.filter(({ project, lane }) => project === 'unit' && lane === 'fast').map(({ file }) => file);
  const ran = new Map(costs.map(({ file, seconds }) => [file, seconds]));
  if (units.length === 0 || units.some((file) => !ran.has(file))) return null;
  return units.reduce((sum, file) => sum + ran.get(file), 0);
}

/** What is over its budget: `{file, text}`, of a lane without a file. `unit` is what the unit specs took in this run. */
function findOverruns({ lane, costs, unit }, budget) {
  /** As seconds of the machine of the budget. */
  const normal = (seconds) => (seconds / unit) * UNIT_SECONDS;
  const found = [];
  const slack = lane === 'fast' ? SLACK.fast : SLACK.others;
  const allowed = budget.lanes[lane];
  const all = normal(costs.reduce((sum, { seconds }) => sum + seconds, 0));
  if (allowed !== undefined && all > allowed * slack.lane)
    found.push({ file: null, text: `lane ${lane}: ${all.toFixed(0)} s, budget ${allowed} s` });
  for (const { file, seconds, slowest } of costs) {
    if (file.startsWith('(')) continue;
    const over = (took, allows) => found.push({ file, text: `${file}: ${took.toFixed(1)} s, ${allows} s` });
    const spec = normal(seconds);
    const limit = budget.specs[file] ?? LISTED_SECONDS;
    if (spec > Math.max(limit * slack.spec, limit + slack.seconds)) over(spec, `budget ${limit}`);
    if (lane !== 'fast' || budget.above[file] !== undefined) continue;
    if (spec > CEILINGS.spec * CEILING_SLACK) over(spec, `the fast lane allows a spec ${CEILINGS.spec}`);
    if (normal(slowest) > CEILINGS.test * CEILING_SLACK)
      over(normal(slowest), `the fast lane allows a test ${CEILINGS.test}`);
  }
  return found;
}

/** Writes what this run cost as the budget of its lane. */
function writeBudget({ lane, costs, unit, files }) {
  const budget = readBudget();
  const normal = (seconds) => Math.round((seconds / unit) * UNIT_SECONDS * 10) / 10;
  budget.lanes[lane] = Math.ceil(normal(costs.reduce((sum, { seconds }) => sum + seconds, 0)));
  const specs = new Map(Object.entries(budget.specs).filter(([file]) => !files.includes(file)));
  for (const { file, seconds } of costs)
    if (normal(seconds) >= LISTED_SECONDS && !file.startsWith('(')) specs.set(file, normal(seconds));
  const listed = [...specs].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify({ ...budget, specs: Object.fromEntries(listed) }, null, 2)}\n`);
}

module.exports = { findOverruns, readBudget, unitSeconds, writeBudget };
