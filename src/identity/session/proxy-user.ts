import type { Config } from '../../platform/config/config';

/** A user as identified by the proxy in front. Their identity is `('proxy', subject)`. */
export interface ProxyUser {
  subject: string;
  name: string;
  /** Empty if the proxy sends no groups. */
  groups: readonly string[];
}

/** The issuer for identities that come from the proxy in front. */
export const PROXY_ISSUER = 'proxy';

type ProxyHeaders = Pick<Config, 'proxyUserHeader' | 'proxyNameHeader' | 'proxyGroupsHeader' | 'proxyGroupsSeparator'>;

const MOST_CHARACTERS = 255;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the proxy's headers. Returns `null` if the user header is missing. Returns `wrong` if it is empty, repeated,
 * longer than 255 characters, or not printable. If the name header has one of these problems, the value of the user
 * header is used as the name. Only the configured character separates groups, because a group's name may contain any
 * other character. `rawHeaders` alternates names and values. It is needed because Node joins repeated headers.
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

/**
 * Decodes a header. Node decodes headers as Latin-1, but proxies send UTF-8. Returns `null` if the string isn't
 * readable.
 */
function printable(value: string): string | null {
  try {
    const text = UTF8.decode(Buffer.from(value, 'latin1')).trim();
    return text !== '' && [...text].length <= MOST_CHARACTERS && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text) ? text : null;
  } catch {
    return null;
  }
}
