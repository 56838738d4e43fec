#!/usr/bin/env node
import './start/node-version.cjs';
import './start/runtime-flags';
import { fail } from './start/fail';
import { loadFromBundle } from './start/load-application';
import { readEnvironment } from './platform/config/env';
import { probeStartSettings, startSettings } from './start/start-settings';

// Unhandled rejections also end up here, unless they come from an extension (`UnawaitedRejections`).
process.on('uncaughtException', fail);
run().catch(fail);

async function run(): Promise<void> {
  const environment = readEnvironment();
  if (environment['ROLE'] === 'probe') return loadProbe().runProbe(await probeStartSettings(environment));
  const settings = await startSettings(environment);
  const { databaseUrl, dataDir, databaseSync, extensions } = settings.config;
  // An extension may stop startup before anything is changed.
  if (databaseUrl === null && extensions.length === 0) await loadEngine().startEarly(dataDir, databaseSync);
  await loadService().runService(settings);
}

/* oxlint-disable typescript/no-require-imports -- imports at the top would be loaded before anything is judged, and by every role. */

/** Loads the application, about 2,600 modules, after the settings have been validated. */
function loadService(): typeof import('./start/run-service') {
  loadFromBundle('app');
  return require('./start/run-service') as typeof import('./start/run-service');
}

function loadEngine(): typeof import('./platform/database/embedded/early-engine') {
  return require('./platform/database/embedded/early-engine') as typeof import('./platform/database/embedded/early-engine');
}

/** Loads a probe without the database and the API, which a probe does not have. */
function loadProbe(): typeof import('./start/run-probe') {
  loadFromBundle('start/run-probe');
  return require('./start/run-probe') as typeof import('./start/run-probe');
}
