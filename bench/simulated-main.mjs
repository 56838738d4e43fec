// The service with one more checker, SIM, whose result is `up` after 5 ms without a network. Measures everything except
// the checkers. It is added like any extension: as a separate module that is passed to createApp.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.env.BENCH_CHECKOUT ?? fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(join(root, 'package.json'));
const dist = (path) => require(join(root, 'dist', path));
dist('start/runtime-flags.js');
const { Module } = require('@nestjs/common');
const { createApp } = dist('app.js');
const { Checker } = dist('checker/checker.js');
const { loadConfig } = dist('platform/config/config.js');
const { Health } = dist('platform/observability/health.js');

class SimulatedChecker {
  assertionSources = [];
  targetForm = 'sim://anything';
  parseTarget(url) {
    return url;
  }
  async check() {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const phases = { dnsMs: null, connectMs: 1, tlsMs: null, firstByteMs: 4, transferMs: 0.1 };
    return {
      outcome: 'up',
      durationMs: 5.1,
      phases,
      statusCode: 200,
      address: null,
      certificate: null,
      records: null,
      redirects: [],
      error: null,
      warning: null,
    };
  }
}
Checker('SIM')(SimulatedChecker);
class SimulatedModule {}
Module({ providers: [SimulatedChecker] })(SimulatedModule);

const config = loadConfig(process.env);
const app = await createApp(config, [{ name: 'simulated', modules: [SimulatedModule] }]);
await app.listen(config.port, config.host);
process.on('SIGTERM', () => {
  app.get(Health).drain();
  void app.close().then(() => process.exit(0));
});
