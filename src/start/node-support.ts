/**
 * The last day on which each release line of Node.js gets security fixes. Source:
 * https://nodejs.org/en/about/previous-releases
 */
const LAST_DAYS: Readonly<Record<string, string>> = { 20: '2026-04-30', 22: '2027-04-30', 24: '2028-04-30' };

/**
 * Returns a warning if the release line of this Node.js version no longer gets security fixes. Otherwise returns
 * `null`.
 */
export function unsupportedNode(version: string, now: Date): string | null {
  const [, line = ''] = /^v?(\d+)\./.exec(version) ?? [];
  const last = LAST_DAYS[line];
  if (last === undefined || now.toISOString().slice(0, 10) <= last) return null;
  return `Node.js ${line} has had no security fixes since ${last}. Run the service with a supported version of Node.js.`;
}
