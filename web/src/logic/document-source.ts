/** The program that a configuration comes from, as in `from`. `''` means this service. */
export type Source = '' | 'uptime-kuma' | 'gatus' | 'healthchecks' | 'prometheus-blackbox' | 'uptimerobot';

/** Patterns that match only files from that program. The first match is used. */
const SIGNS: readonly (readonly [Source, RegExp])[] = [
  ['uptime-kuma', /"(monitorList|notificationList)"\s*:/],
  ['uptimerobot', /"friendly_name"\s*:/],
  ['healthchecks', /"(ping_url|n_pings)"\s*:/],
  ['', /^version:\s*\d|^\{\s*"version"\s*:\s*\d/m],
  ['prometheus-blackbox', /^(modules|scrape_configs):/m],
  ['gatus', /^(external-)?endpoints:/m],
];

/** Returns the program that a document comes from, or `null` if nothing in it identifies one. */
export const sourceOf = (text: string): Source | null => SIGNS.find(([, sign]) => sign.test(text))?.[0] ?? null;
