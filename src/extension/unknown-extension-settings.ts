import { Config } from '../platform/config/config';
import { envNames } from '../platform/config/env';
import { distance, unknownSettings } from '../platform/config/unknown-settings';
import { type Extension, settingPrefix } from './extension';

type Environment = Readonly<Record<string, string | undefined>>;

/** A short remainder after the prefix resembles many words. For example, `_HOST` and `_PORT` differ by two letters. */
const SHORT = 6;

const namesOf = ({ settings }: Extension): string[] => (settings ? [...envNames(settings).values()] : []);

/** Returns one sentence for each variable that looks like a misspelled setting of the service or an extension. */
export function allUnknownSettings(environment: Environment, extensions: readonly Extension[]): string[] {
  const own = new Set(envNames(Config).values());
  const known = new Set(extensions.flatMap(namesOf));
  const others = Object.fromEntries(Object.entries(environment).filter(([name]) => !known.has(name)));
  const misspelt = extensions.flatMap((extension) =>
    Object.keys(others)
      .filter((name) => name.startsWith(settingPrefix(extension)) && !own.has(name))
      .flatMap((name) => explain(name, extension) ?? []),
  );
  return [...unknownSettings(others), ...misspelt];
}

function explain(name: string, extension: Extension): string | null {
  const prefix = settingPrefix(extension);
  const near = namesOf(extension).find((known) => {
    const most = known.length - prefix.length < SHORT ? 1 : 2;
    return distance(name, known) <= most;
  });
  return near === undefined
    ? null
    : `${name} is not a setting of extension "${extension.name}" and has no effect: did you mean ${near}?`;
}
