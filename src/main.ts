import './start/gc-flags';
import './start/thread-pool';
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from './app';
import { banner } from './start/banner';
import { Bootstrap } from './identity/organization/bootstrap';
import { loadConfig } from './platform/config/config';
import { Health } from './platform/observability/health';

/** After this the process ends whatever is left; supervisors usually wait 30 s. */
const GRACE_MS = 25_000;
/** Load balancers get this long to notice that we are not ready. */
const UNREADY_MS = 250;

async function start(): Promise<void> {
  // What is in the environment already wins over the file.
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = loadConfig(process.env);
  const app = await createApp(config);
  const first = await app.get(Bootstrap).prepare();
  await app.listen(config.port, config.host);
  stopOnSignals(app);
  process.stdout.write(await banner(app, config, first));
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

/** Nothing half-alive: what nobody caught ends the process, and the supervisor starts a new one. */
function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? describe(error) : String(error)}\n`);
  process.exit(1);
}

/** Mistakes of the operator need no stack. */
const describe = (error: Error): string =>
  process.env['LOG_LEVEL'] === 'debug' || !isOperatorError(error) ? (error.stack ?? error.message) : error.message;
const isOperatorError = (error: Error): boolean =>
  ['ConfigError', 'StartError'].includes(error.constructor.name) || 'code' in error;

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
void start().catch(fail);
