// Creates dist/bundle. It starts the service from dist once, on an in-memory database, and records every module that it
// loads. For each module, it stores what the module requires and the code that V8 compiled. src/start/module-bundle.ts
// reads the bundle.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ModuleRecorder } from './module-recorder.mjs';

const dist = realpathSync(fileURLToPath(new URL('../dist', import.meta.url)));
const require = createRequire(join(dist, 'main.js'));

// main.js also starts this way. V8 rejects code that was compiled with other flags.
require('./start/runtime-flags');
const reader = require('./start/module-bundle');

const recorder = new ModuleRecorder(dirname(dist), reader);
const loader = new reader.ModuleLoader(recorder);
const { createApp } = loader.load(join(dist, 'app.js')).exports;
const { loadConfig } = require('./platform/config/config');
const settings = { DATABASE_URL: 'embedded:memory', HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error' };
const app = await createApp(loadConfig(settings), [], {});
await app.listen(0, '127.0.0.1');
const { port } = app.getHttpServer().address();
for (const path of ['/', '/health/ready', '/api/v1/websites'])
  await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer();
// In addition to the modules that it shares with the service, a probe has its own.
loader.load(join(dist, 'start/run-probe.js'));
recorder.write(join(dist, 'bundle'));
await app.close();
process.exit(0);
