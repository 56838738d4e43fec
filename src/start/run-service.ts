import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../app';
import { shortPrefixes } from '../extension/composition';
import { loadExtensions } from '../extension/load-extensions';
import { allUnknownSettings } from '../extension/unknown-extension-settings';
import { Health } from '../platform/observability/health';
import { settingHints } from '../platform/config/setting-hints';
import { serviceLogger } from '../platform/observability/service-logger';
import { requireAddress, listen } from './listen';
import type { StartSettings } from './start-settings';
import { Bootstrap } from '../identity/organization/bootstrap';
import { SignInLinks } from '../identity/session/sign-in-links';
import type { Config } from '../platform/config/config';
import { addressOf, banner, startLines } from './banner';
import { unsupportedNode } from './node-support';
import { logStart, print } from './print';
import { stopListening } from './stop-listening';
import { stopOnSignals } from './stop-on-signals';

/**
 * Starts listening, and prints how to sign in. A generated key is written to its file before it is stored in the
 * database. It is removed from the file only after it was shown on a terminal, so it can't be lost.
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
  const told = { url: addressOf(app, config), publicUrl: config.publicUrl, auth: config.auth, key, link };
  if (isTerminal) await print(banner(told));
  else for (const line of startLines(told)) logStart(line);
  if (isShown && !bootstrap.isShownOnly) await bootstrap.removeKeyFile();
}

/**
 * Runs the service in this process until a signal stops it. Resolves when the service is listening and has logged that.
 */
export async function runService({ environment, config }: StartSettings): Promise<void> {
  Logger.overrideLogger(serviceLogger(config));
  const extensions = await loadExtensions(config.extensions);
  for (const text of [...allUnknownSettings(environment, extensions), ...settingHints(config)])
    new Logger('Settings').warn(text);
  for (const text of shortPrefixes(extensions)) new Logger('Extensions').warn(text);
  const outdated = unsupportedNode(process.version, new Date());
  if (outdated !== null) new Logger('Main').warn(outdated);
  // This is checked again, because loading all of this takes a while.
  await requireAddress(config);
  const app = await createApp(config, extensions, environment);
  stopOnSignals({
    health: app.get(Health),
    drainSeconds: config.drainSeconds,
    stopListening: () => stopListening(app.getHttpServer()),
    close: () => app.close(),
  });
  await welcome(app, config);
}
