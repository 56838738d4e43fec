import type { Config } from '../../platform/config/config';

/**
 * Returns the URL for a link with this token, or `null` if `PUBLIC_URL` is not set. The token is in the fragment, which
 * no server logs.
 */
export const linkOf = ({ publicUrl }: Pick<Config, 'publicUrl'>, token: string): string | null =>
  publicUrl === null ? null : `${publicUrl}/#/sign-in/${token}`;
