import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp, serviceLogger } from '../app';
import { loadExtensions } from '../extension/load-extensions';
import { allUnknownSettings } from '../extension/unknown-extension-settings';
import { Health } from '../platform/observability/health';
import { fail } from './fail';
import { requireAddress, listen } from './listen';
import type { StartSettings } from './start-settings';
import { Bootstrap } from '../identity/organization/bootstrap';
import { SignInLinks } from '../identity/session/sign-in-links';
import type { Config } from '../platform/config/config';
import { addressOf, banner } from './banner';

/**
 * Listens, and says how to get in. A generated key was in its file before the database had it, and leaves the file only once it
 * was shown on a terminal: at no moment is it written nowhere.
 */
async function welcome(app: NestExpressApplication, config: Config): Promise<void> {
  const { isTTY: isTerminal } = process.stdout;
  const bootstrap = app.get(Bootstrap);
  const made = bootstrap.key;
  await listen(app, config);
  const isShown = made.from === 'generated' && isTerminal;
  const key = made.from === 'generated' && !isTerminal ? ({ from: 'file', path: bootstrap.keyFile } as const) : made;
  const wantsLink = isTerminal && config.auth && (await bootstrap.isUnused());
  const link = wantsLink ? await app.get(SignInLinks).create() : null;
  await print(
    banner({ url: addressOf(app, config), publicUrl: config.publicUrl, auth: config.auth, isTerminal, key, link }),
  );
  if (isShown && !bootstrap.isShownOnly) await bootstrap.removeKeyFile();
}

/** Resolves once the text is out. */
const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));

/** After this the process ends whatever is left; supervisors usually wait 30 s. */
const GRACE_MS = 25_000;
/** Load balancers get this long to notice that we are not ready. */
const UNREADY_MS = 250;

/** Runs the service in this process until a signal ends it. Resolves once it listens and has said so. */
export async function runService({ environment, config }: StartSettings): Promise<void> {
  Logger.overrideLogger(serviceLogger(config));
  const extensions = await loadExtensions(config.extensions);
  for (const text of allUnknownSettings(environment, extensions)) new Logger('Settings').warn(text);
  // Even if it was free when the settings were judged: loading all of this has taken a while.
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
