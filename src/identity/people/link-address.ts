import type { Config } from '../../platform/config/config';

/**
 * Returns the URL of a link with this token, or `null` without `PUBLIC_URL`. The token is in the fragment, which no
 * server logs.
 */
export const linkOf = ({ publicUrl }: Pick<Config, 'publicUrl'>, token: string): string | null =>
  publicUrl === null ? null : `${publicUrl}/#/sign-in/${token}`;
