'use strict';
/**
 * Jest's Node environment, in which a worker compiles each file once. Jest itself compiles all modules again for each
 * spec, and V8 keeps no result of `vm.compileFunction`. That took 0.6 s of CPU for every spec that starts the
 * application.
 *
 * It also records what each spec costs, for scripts/jest/budget.json: a line of JSON `{file, seconds, starts}` in the
 * file that TEST_CPU_FILE names. Seconds are CPU time of the worker and of its finished children, without the time to
 * start services. Wall time would mean nothing on a shared machine.
 */
const { appendFileSync, readFileSync } = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const root = path.join(__dirname, '../..');

/** The source of each file, and its script for any context of this process. */
const compiled = new Map();

/** Takes the same arguments as `vm.compileFunction`. Only the columns of the first line move. */
vm.compileFunction = (code, parameters, { filename, parsingContext }) => {
  let known = compiled.get(filename);
  if (known?.code !== code) {
    known = { code, script: new vm.Script(`(function (${parameters.join()}) {${code}\n})`, { filename }) };
    compiled.set(filename, known);
  }
  return known.script.runInContext(parsingContext);
};

/** The kernel counts the CPU time of children in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU seconds of finished children, or 0 if there is no `/proc`. */
function childSeconds() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The fields after the name are cutime and cstime.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(13, 15);
    return (Number(user) + Number(system)) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** The place where test/harness/app/shared-services.ts counts the cost of starting services. */
const STARTS = Symbol.for('uptime-monitor.service-starts');

class MeasuringEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.file = path.relative(root, context.testPath);
    this.isGroup = context.testPath.endsWith('.group.cjs');
    this.global[STARTS] = { count: 0, seconds: 0 };
    // Used by scripts/jest/openid-client.cjs.
    this.global[Symbol.for('uptime-monitor.require')] = require;
    this.begun = this.now();
    /** CPU seconds of the specs of a group: its top-level blocks, without loading the modules that they share. */
    this.own = 0;
  }

  ownSeconds() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6 - this.global[STARTS].seconds;
  }

  now() {
    return { seconds: this.ownSeconds() + childSeconds(), count: this.global[STARTS].count };
  }

  handleTestEvent({ name, describeBlock }) {
    if (!this.isGroup || describeBlock?.parent?.name !== 'ROOT_DESCRIBE_BLOCK') return;
    if (name === 'run_describe_start') this.opened = this.now();
    if (name === 'run_describe_finish') {
      const { seconds, count } = this.now();
      const own = { seconds: seconds - this.opened.seconds, count: count - this.opened.count };
      this.own += own.seconds;
      this.write(describeBlock.name, own);
    }
  }

  write(file, { seconds, count }) {
    const to = process.env.TEST_CPU_FILE;
    if (!to) return;
    const round = (value) => Math.round(value * 100) / 100;
    const line = { file, seconds: round(seconds), starts: count };
    appendFileSync(to, `${JSON.stringify(line)}\n`);
  }

  async teardown() {
    const { seconds, count } = this.now();
    const started = this.global[STARTS].seconds;
    const all = seconds - this.begun.seconds;
    if (this.isGroup) this.write('(shared)', { seconds: all - this.own + started, count: 0 });
    else this.write(this.file, { seconds: all + started, count });
    await super.teardown();
  }
}

module.exports = MeasuringEnvironment;
