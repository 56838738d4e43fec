import { type Config, loadConfig } from '../platform/config/config';
import { readEnvironment } from '../platform/config/env';
import { loadProbeConfig, type ServerAccess } from '../platform/config/probe-config';
import { unknownSettings } from '../platform/config/unknown-settings';
import { requireAddress } from './listen';

export interface StartSettings {
  /** The variables of the process and of `.env`, which include the settings of extensions. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly config: Config;
}

/**
 * Returns the settings for this start, and loads as little as possible. So a mistake costs a tenth of a second instead
 * of loading the whole application. Errors that are found later require the extensions or the database. Throws: an
 * error that explains what is wrong.
 */
export async function startSettings(environment = readEnvironment()): Promise<StartSettings> {
  const config = loadConfig(environment);
  // Problems with extensions and misspelled settings must be reported before an unavailable address, but the logger for
  // that isn't loaded yet.
  const saysNothingElse = config.extensions.length === 0 && unknownSettings(environment).length === 0;
  if (saysNothingElse) await requireAddress(config);
  return { environment, config };
}

export interface ProbeStartSettings extends StartSettings {
  readonly access: ServerAccess;
}

/** Works like `startSettings`, for `ROLE=probe`. */
export async function probeStartSettings(environment = readEnvironment()): Promise<ProbeStartSettings> {
  const { config, access } = loadProbeConfig(environment);
  await requireAddress(config);
  return { environment, config, access };
}
