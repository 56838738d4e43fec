import { type Config, loadConfig } from '../platform/config/config';
import { readEnvironment } from '../platform/config/env';
import { loadProbeConfig, type ServerAccess } from '../platform/config/probe-config';
import { unknownSettings } from '../platform/config/unknown-settings';
import { requireAddress } from './listen';

/** What the service is started with. */
export interface StartSettings {
  /** The variables of the process with those of `.env`: extensions have settings of their own among them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly config: Config;
}

/**
 * The settings of this start. Throws what is wrong with them in words, and loads no more than that takes: a mistake costs a
 * tenth of a second instead of the whole application. What stops a start later on needs the extensions or the database.
 */
export async function startSettings(environment = readEnvironment()): Promise<StartSettings> {
  const config = loadConfig(environment);
  // Extensions and misspelt settings are told of before a wrong address is, and by a logger that is not loaded yet.
  const saysNothingElse = config.extensions.length === 0 && unknownSettings(environment).length === 0;
  if (saysNothingElse) await requireAddress(config);
  return { environment, config };
}

/** What a probe is started with. */
export interface ProbeStartSettings extends StartSettings {
  readonly access: ServerAccess;
}

/** As `startSettings`, for `ROLE=probe`. */
export async function probeStartSettings(environment = readEnvironment()): Promise<ProbeStartSettings> {
  const { config, access } = loadProbeConfig(environment);
  await requireAddress(config);
  return { environment, config, access };
}
