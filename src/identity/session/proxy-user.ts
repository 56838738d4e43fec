import type { Config } from '../../platform/config/config';

/** Who somebody is for the proxy in front: the identity `('proxy', subject)`. */
export interface ProxyUser {
  subject: string;
  name: string;
  /** None, where the proxy sends none. */
  groups: readonly string[];
}

/** Issuer of the identities that the proxy in front tells. */
export const PROXY_ISSUER = 'proxy';

type ProxyHeaders = Pick<Config, 'proxyUserHeader' | 'proxyNameHeader' | 'proxyGroupsHeader' | 'proxyGroupsSeparator'>;

const MOST_CHARACTERS = 255;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the headers of a request that comes from the proxy; `null` without the one of the user, `wrong` when that is empty, there
 * twice, longer than 255 characters or not printable. A name that is so is not shown: the user's is. Groups are separated by
 * one character alone, that of the settings: a group may have any other in its name. `rawHeaders`: names and values in turn, for
 * Node joins what is sent twice.
 */
export function readProxyUser(rawHeaders: readonly string[], settings: ProxyHeaders): ProxyUser | 'wrong' | null {
  const [user, ...more] = valuesOf(rawHeaders, settings.proxyUserHeader);
  if (user === undefined) return null;
  const subject = more.length === 0 ? printable(user) : null;
  if (subject === null) return 'wrong';
  const names = valuesOf(rawHeaders, settings.proxyNameHeader);
  const [name = ''] = names.length === 1 ? names : [];
  const groups = valuesOf(rawHeaders, settings.proxyGroupsHeader)
    .flatMap((value) => value.split(settings.proxyGroupsSeparator))
    .flatMap((group) => printable(group.trim()) ?? []);
  return { subject, name: printable(name) ?? subject, groups };
}

function valuesOf(rawHeaders: readonly string[], header: string | null): string[] {
  const wanted = header?.toLowerCase();
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === wanted);
}

/** Headers are bytes, which Node reads as Latin-1 and proxies write as UTF-8. `null` for what nobody could read. */
function printable(value: string): string | null {
  try {
    const text = UTF8.decode(Buffer.from(value, 'latin1')).trim();
    return text !== '' && [...text].length <= MOST_CHARACTERS && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text) ? text : null;
  } catch {
    return null;
  }
}
