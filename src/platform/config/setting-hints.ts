import { isMailAddress } from '../text/mail-address';
import { readUrl } from '../text/read-url';
import { cut } from '../text/text-limits';
import type { Config } from './config';

/** Returns one sentence for each setting that is valid but doesn't do what it seems to do. */
export function settingHints({ smtpUrl, smtpFrom }: Pick<Config, 'smtpUrl' | 'smtpFrom'>): string[] {
  const url = smtpUrl === null ? null : readUrl(smtpUrl);
  if (url === null) return [];
  const names = [...new Set(url.searchParams.keys())].map((name) => JSON.stringify(cut(name, 40)));
  return [
    ...(smtpFrom === null && !isMailAddress(decodeURIComponent(url.username)) ? [NO_SENDER] : []),
    ...(names.length > 0 ? [`SMTP_URL has parameters that have no effect (${names.join(', ')}): ${REMOVE_THEM}`] : []),
  ];
}

const NO_SENDER =
  'SMTP_URL has no sender, so emails through it are rejected: set SMTP_FROM, such as Uptime <uptime@example.com>.';
const REMOVE_THEM =
  'remove them. With smtps:// or a password, the service requires TLS. Otherwise, it uses TLS if the server offers it.';
