/** The help page for each page of the dashboard, by the start of its path. The first match counts. */
const BY_PATH: readonly (readonly [path: string, page: string])[] = [
  ['new/many', 'guides/monitor/many-at-once'],
  ['new', 'guides/monitor/website'],
  ['certificates', 'guides/monitor/certificate'],
  ['endpoints', 'concepts/how-a-check-runs'],
  ['incidents', 'concepts/incidents'],
  ['alerts/events', 'guides/notify/not-notified'],
  ['alerts/failed', 'guides/notify/not-notified'],
  ['alerts', 'concepts/when-alerts-trigger'],
  ['escalation', 'guides/notify/escalation'],
  ['contacts', 'guides/notify/contacts'],
  ['maintenance', 'guides/notify/maintenance'],
  ['status-pages', 'guides/status-pages/publish'],
  ['settings/probes', 'guides/locations/add-a-probe'],
  ['settings/keys', 'guides/operate/rotate-keys'],
  ['settings/configuration', 'guides/automate/configuration-as-code'],
  ['settings', 'guides/people/people'],
];

/** Returns the path of the help page below `/help/` for a page of the dashboard. Empty for the start page. */
export const helpForPath = (path: readonly string[]): string =>
  BY_PATH.find(([start]) => `${path.join('/')}/`.startsWith(`${start}/`))?.[1] ?? '';

/** The pages of `helpForPath`. A test compares them with the pages that exist. */
export const PAGES_BY_PATH: readonly string[] = BY_PATH.map(([, page]) => page);
