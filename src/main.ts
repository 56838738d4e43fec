#!/usr/bin/env node
import './start/node-version.cjs';
import './start/runtime-flags';
import { fail } from './start/fail';
import { startEarly } from './platform/database/embedded/early-engine';
import { startSettings } from './start/start-settings';

// A rejection that nobody waits for comes here as well, unless it is an extension's (`UnawaitedRejections`).
process.on('uncaughtException', fail);
run().catch(fail);

async function run(): Promise<void> {
  const settings = await startSettings();
  const { databaseUrl, dataDir, extensions } = settings.config;
  // An extension may stop the start before anything is touched.
  if (databaseUrl === null && extensions.length === 0) await startEarly(dataDir);
  await loadService().runService(settings);
}

/** The application, some 2,600 modules: loaded once the settings are right. */
function loadService(): typeof import('./start/run-service') {
  /* oxlint-disable typescript/no-require-imports -- imports at the top would be loaded before anything is judged. */
  require('./start/load-application');
  return require('./start/run-service') as typeof import('./start/run-service');
}
