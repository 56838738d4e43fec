#!/usr/bin/env node
import './start/node-version.cjs';
import './start/gc-flags';
import './start/thread-pool';
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp, serviceLogger } from './app';
import { loadExtensions } from './extension/load-extensions';
import { allStrangeSettings } from './extension/strange-extension-settings';
import { fail } from './start/fail';
import { requireAddress } from './start/listen';
import { welcome } from './start/welcome';
import { loadConfig } from './platform/config/config';
import { readEnvironment } from './platform/config/environment-file';
import { Health } from './platform/observability/health';

/** After this the process ends whatever is left; supervisors usually wait 30 s. */
const GRACE_MS = 25_000;
/** Load balancers get this long to notice that we are not ready. */
const UNREADY_MS = 250;

async function start(): Promise<void> {
  const environment = readEnvironment();
  const config = loadConfig(environment);
  Logger.overrideLogger(serviceLogger(config));
  const extensions = await loadExtensions(config.extensions);
  for (const text of allStrangeSettings(environment, extensions)) new Logger('Settings').warn(text);
  await requireAddress(config);
  const app = await createApp(config, extensions, environment);
  stopOnSignals(app);
  await welcome(app, config);
}

function stopOnSignals(app: NestExpressApplication): void {
  const logger = new Logger('Main');
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.log(`${signal}: finishing what is under way`);
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    app.get(Health).drain();
    await new Promise((resolve) => setTimeout(resolve, UNREADY_MS));
    await app.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal).catch(fail));
}

// A rejection that nobody waits for comes here as well, unless it is an extension's (`UnawaitedRejections`).
process.on('uncaughtException', fail);
void start().catch(fail);
