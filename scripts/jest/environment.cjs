'use strict';
/**
 * Jest's Node environment, modified so that a worker compiles each file only once. Jest itself recompiles all modules
 * for each spec, and V8 doesn't cache the result of `vm.compileFunction`. That took 0.6 s of CPU for every spec that
 * starts the application.
 *
 * It also records what each spec costs, for scripts/jest/budget.json. It appends a JSON line `{file, seconds, starts}`
 * to the file specified in TEST_CPU_FILE. Seconds are the CPU time of the worker and of its finished children, without
 * the time to start services. Wall time would be meaningless on a shared machine.
 */
const { appendFileSync, readFileSync } = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const root = path.join(__dirname, '../..');

/** Each file's source and its script, which works in any context in this process. */
const compiled = new Map();

/** Takes the same arguments as `vm.compileFunction`. Only the columns in the first line are shifted. */
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

/** Returns the CPU seconds used by finished children, or 0 if there is no `/proc`. */
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

/** Where test/harness/app/shared-services.ts counts the cost of starting services. */
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
    /** CPU seconds of a group's specs: their top-level blocks, without loading the modules that they share. */
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
