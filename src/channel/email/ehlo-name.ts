import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Config } from '../../platform/config/config';
import { readUrl } from '../../platform/text/read-url';
import { mailDomain } from '../../platform/text/mail-address';

/**
 * Returns the name that the service sends to an email server. Strict servers refuse the hostname, which has no domain
 * in a container. They also refuse an address literal that isn't the client's own (RFC 5321 sections 2.3.5, 4.1.1.1,
 * and 4.1.3).
 */
export function ehloName(
  { smtpEhloName, publicUrl }: Pick<Config, 'smtpEhloName' | 'publicUrl'>,
  sender: string,
): string {
  if (smtpEhloName !== null) return domainToASCII(smtpEhloName);
  const host = publicUrl === null ? '' : (readUrl(publicUrl)?.hostname ?? '');
  const isName = host.includes('.') && !host.startsWith('[') && isIP(host) === 0;
  return isName ? host : mailDomain(sender);
}
