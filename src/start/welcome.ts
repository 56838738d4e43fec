import type { NestExpressApplication } from '@nestjs/platform-express';
import { Bootstrap } from '../identity/organization/bootstrap';
import { SignInLinks } from '../identity/session/sign-in-links';
import type { Config } from '../platform/config/config';
import { addressOf, banner } from './banner';
import { listen } from './listen';

/**
 * Listens, and says how to get in. A generated key was in its file before the database had it, and leaves the file only once it
 * was shown on a terminal: at no moment is it written nowhere.
 */
export async function welcome(app: NestExpressApplication, config: Config): Promise<void> {
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
