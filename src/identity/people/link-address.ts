import type { Config } from '../../platform/config/config';

/** The address of a link with this token; `null` without `PUBLIC_URL`. The token is in the fragment, which no server logs. */
export const linkOf = ({ publicUrl }: Pick<Config, 'publicUrl'>, token: string): string | null =>
  publicUrl === null ? null : `${publicUrl}/#/sign-in/${token}`;
