import { Config } from './config';
import { envNames } from './env';
import { ProbeConfig } from './probe-config';

/** Prefixes that no other program uses. Variables with these prefixes are meant for this service. */
const OWN_PREFIXES = ['QUOTA_', 'EGRESS_', 'SMTP_', 'SECRETS_', 'BOOTSTRAP_', 'CONNECTIVITY_', 'OIDC_', 'PROBE_'];
/** Omits proxy variables, because other programs use them too. `https_proxy` isn't a misspelled setting. */
const OF_PROBES = [...envNames(ProbeConfig).values()].filter((name) => name.startsWith('PROBE_'));
/** Names up to this length are too short for recognizing typos by distance. */
const SHORT = 5;
/** The maximum distance at which a name with one of these prefixes counts as a misspelled setting. */
const NEAR = 4;
/** Variables that Kubernetes sets in every container for a service with a name such as `smtp`. */
const SERVICE_LINK = /_SERVICE_(HOST|PORT)|_PORT(_\d+_\w+)?$/;

/**
 * Returns one sentence for each variable that looks like a misspelled setting. This is only a warning, because other
 * programs use the same environment.
 */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = [...envNames(Config).values(), ...OF_PROBES];
  return Object.keys(environment)
    .filter((name) => !known.includes(name) && !SERVICE_LINK.test(name))
    .sort()
    .flatMap((name) => explain(name, known) ?? []);
}

function explain(name: string, known: readonly string[]): string | null {
  const wanted = name.toUpperCase();
  const [nearest] = known
    .map((setting) => ({ setting, distance: distance(wanted, setting) }))
    .sort((a, b) => a.distance - b.distance);
  if (!nearest) return null;
  const prefix = OWN_PREFIXES.find((own) => wanted.startsWith(own));
  const most = prefix === undefined ? (wanted.length <= SHORT ? 1 : 2) : NEAR;
  if (nearest.distance <= most && isTypingError(wanted, nearest.setting))
    return `${name} is not a setting and has no effect: did you mean ${nearest.setting}?`;
  if (prefix === undefined) return null;
  const same = known.filter((setting) => setting.startsWith(prefix));
  return `${name} is not a setting and has no effect: the settings that start with ${prefix} are ${same.join(', ')}.`;
}

/**
 * Returns whether the name is a typo of the setting. Short names are similar to many words (`PATH`, `POST`), so for
 * them only swapped letters or a suffix (`PORTS`) count as a typo.
 */
function isTypingError(name: string, setting: string): boolean {
  if (setting.length > SHORT) return true;
  const letters = (text: string): string => [...text].sort().join('');
  return letters(name) === letters(setting) || name.startsWith(setting);
}

/**
 * Returns how many letters must be added, removed, changed, or swapped with their neighbor to turn one string into the
 * other. Available packages don't count swaps, so for them `PROT` is as far from `PORT` as from `POST`
 * (docs/decisions/0049-two-small-helpers.md).
 */
export function distance(from: string, to: string): number {
  const rows: number[][] = [];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 0; i <= from.length; i++) {
    const row: number[] = [];
    rows.push(row);
    for (let j = 0; j <= to.length; j++) {
      if (i === 0 || j === 0) row.push(i + j);
      else {
        const isSame = from[i - 1] === to[j - 1];
        const swaps = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
        const changed = Math.min(at(i - 1, j) + 1, (row[j - 1] ?? 0) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1));
        row.push(swaps ? Math.min(changed, at(i - 2, j - 2) + 1) : changed);
      }
    }
  }
  return at(from.length, to.length);
}
