import { isDeepStrictEqual } from 'node:util';
import type { Defaults } from '../plan/sent-fields';

/** Selects the settings that an export contains. */
export type Chosen = <Declared extends object>(settings: Declared, defaults: Defaults) => Declared;

/** Selects all settings, so that the next plan detects any change. */
export const complete: Chosen = (settings) => settings;

/** Leaves out settings that a new resource has anyway: default values, and `null` for fields without a default. */
export function withoutDefaults<Declared extends object>(settings: Declared, defaults: Defaults): Declared {
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]: [string, unknown]) => !isDeepStrictEqual(value, defaults[name] ?? null),
    ),
  ) as Declared;
}
