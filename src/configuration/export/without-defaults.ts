import { isDeepStrictEqual } from 'node:util';
import type { Defaults } from '../plan/sent-fields';

/** What of some settings an export has. */
export type Chosen = <Declared extends object>(settings: Declared, defaults: Defaults) => Declared;

/** All of them, so that a change of any is seen by the next plan. */
export const complete: Chosen = (settings) => settings;

/** Without the settings that something new has anyway: those at their default, and `null` where no default is named. */
export function withoutDefaults<Declared extends object>(settings: Declared, defaults: Defaults): Declared {
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]: [string, unknown]) => !isDeepStrictEqual(value, defaults[name] ?? null),
    ),
  ) as Declared;
}
