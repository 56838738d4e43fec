import { createHash } from 'node:crypto';
import { readableAccent } from './accent';
import { STATUS_SCRIPT, STATUS_STYLE } from './status-style';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const STYLE_HASH = hashOf(STATUS_STYLE);
const SCRIPT_HASH = hashOf(STATUS_SCRIPT);

/** Returns the style for a page's accent color, or an empty string if it has none. */
export function accentStyle(accent: string | null): string {
  if (accent === null) return '';
  const { light, dark } = readableAccent(accent);
  return `:root{--link:${light};--accent:${light}}@media (prefers-color-scheme:dark){:root{--link:${dark};--accent:${dark}}}`;
}

/**
 * Returns the Content-Security-Policy of a public page. It allows the page's own style and script by hash, and the logo
 * and icon by origin.
 */
export function statusPolicy(accent: string | null, hasScript = true): string {
  const styles = accent === null ? STYLE_HASH : `${STYLE_HASH} ${hashOf(accentStyle(accent))}`;
  return [
    "default-src 'none'",
    `style-src ${styles}`,
    ...(hasScript ? [`script-src ${SCRIPT_HASH}`] : []),
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
