'use strict';
/**
 * The CPU budget for each lane, and what each spec cost when the budget was written, which is used to split specs into
 * groups. Seconds are measured on a machine where the unit specs take `UNIT_SECONDS`. A run is compared with its own
 * unit specs, so a slow or busy machine makes little difference.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const FILE = path.join(__dirname, 'budget.json');
/**
 * How far a lane may exceed its budget. The same commit took 5.8 to 7.2 times as long as its unit specs, idle and at a
 * load of 9. In CI, the other lanes run alongside chaos and faults, while their unit specs ran alone. The slow lane
 * took 623 s there and 467 s alone.
 */
const SLACK = { fast: 1.4, others: 2 };
const UNIT_SECONDS = 40;
/** Specs that take less time aren't listed. */
const LISTED_SECONDS = 1;

const readBudget = () => JSON.parse(readFileSync(FILE, 'utf8'));

const total = (costs) => costs.reduce((sum, { seconds }) => sum + seconds, 0);

/**
 * Returns the CPU seconds of the fast unit specs in this run, which is the unit for all other specs. Returns `null` if
 * not all of them ran.
 */
function unitSeconds(costs, specs) {
  const units = specs.filter(({ project, lane }) => project === 'unit' && lane === 'fast').map(({ file }) => file);
  const ran = new Map(costs.map(({ file, seconds }) => [file, seconds]));
  if (units.length === 0 || units.some((file) => !ran.has(file))) return null;
  return units.reduce((sum, file) => sum + ran.get(file), 0);
}

/**
 * Returns a sentence if the lane exceeds its budget. Otherwise returns `null`. `unit` is the unit specs' time in this
 * run.
 */
function overrunOf({ lane, costs, unit }, budget) {
  const allowed = budget.lanes[lane];
  const took = (total(costs) / unit) * UNIT_SECONDS;
  if (allowed === undefined || took <= allowed * (lane === 'fast' ? SLACK.fast : SLACK.others)) return null;
  return `lane ${lane}: ${took.toFixed(0)} s, budget ${allowed} s`;
}

/** Writes this run's costs as its lane's budget. */
function writeBudget({ lane, costs, unit, files }) {
  const budget = readBudget();
  const normal = (seconds) => Math.round((seconds / unit) * UNIT_SECONDS * 10) / 10;
  budget.lanes[lane] = Math.ceil(normal(total(costs)));
  const specs = new Map(Object.entries(budget.specs).filter(([file]) => !files.includes(file)));
  for (const { file, seconds } of costs)
    if (normal(seconds) >= LISTED_SECONDS && !file.startsWith('(')) specs.set(file, normal(seconds));
  const listed = [...specs].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify({ ...budget, specs: Object.fromEntries(listed) }, null, 2)}\n`);
}

module.exports = { overrunOf, readBudget, unitSeconds, writeBudget };
