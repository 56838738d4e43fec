import type { OpenAPIObject } from '@nestjs/swagger';

/**
 * The order of the reference, from sections that most users need to sections that only the operator needs. Paths
 * without one of these prefixes come last.
 */
const SECTIONS = [
  '/api/v1/websites',
  '/api/v1/websites/{websiteId}/endpoints',
  '/api/v1/endpoints',
  '/api/v1/endpoints/test',
  '/api/v1/alerts',
  '/api/v1/alerts/test',
  '/api/v1/alerts/{id}/test',
  '/api/v1/contacts',
  '/api/v1/contacts/test',
  '/api/v1/alerts/{id}/deliveries',
  '/api/v1/endpoints/{id}/deliveries',
  '/api/v1/deliveries',
  '/api/v1/alerts/events',
  '/api/v1/endpoints/{id}/acknowledgement',
  '/api/v1/incidents',
  '/api/v1/stream',
  '/api/v1/overview',
  '/api/v1/metrics',
  '/api/v1/endpoints/{id}/checks',
  '/api/v1/endpoints/{id}/uptime',
  '/api/v1/websites/{id}/history',
  '/api/v1/endpoints/{id}/latency',
  '/api/v1/probes',
  '/api/v1/maintenance-windows',
  '/api/v1/websites/{id}/status-page',
  '/api/v1/status-pages',
  '/status/',
  '/api/v1/configuration',
  '/api/v1/organization',
  '/api/v1/people',
  '/api/v1/invitations',
  '/api/v1/api-keys',
  '/api/v1/audit-log',
  '/auth/',
  '/api/v1/system',
  '/api/v1/organizations',
  '/api/v1/organizations/audit-log',
  '/api/v1/shared-probes',
  '/api/v1/probe/',
];

/** Schemas that all routes use. */
const EVERYWHERE = ['FieldProblemView', 'ProblemView'];

/** Sorts paths into reading order and schemas in the order of their first use, independent of the order of modules. */
export function inReadingOrder(document: OpenAPIObject): OpenAPIObject {
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .map(([path, item]) => ({ path, item, section: sectionOf(path) }))
      .sort((a, b) => a.section - b.section)
      .map(({ path, item }) => [path, item]),
  );
  const known = document.components?.schemas ?? {};
  const names = new Set([...EVERYWHERE, ...referencesIn(paths, known), ...Object.keys(known)]);
  const schemas = Object.fromEntries([...names].flatMap((name) => (known[name] ? [[name, known[name]]] : [])));
  return { ...document, paths, components: { ...document.components, schemas } };
}

/** The longest matching prefix decides. */
function sectionOf(path: string): number {
  const [longest] = SECTIONS.filter((prefix) => path.startsWith(prefix)).sort((a, b) => b.length - a.length);
  return longest === undefined ? SECTIONS.length : SECTIONS.indexOf(longest);
}

/** Returns the names of the schemas in dependency order. A schema comes after the schemas to which it refers. */
function referencesIn(
  node: unknown,
  schemas: Readonly<Record<string, unknown>>,
  found = new Set<string>(),
  entered = new Set<string>(),
): Set<string> {
  if (typeof node !== 'object' || node === null) return found;
  for (const [key, value] of Object.entries(node)) {
    if (key !== '$ref' || typeof value !== 'string') {
      referencesIn(value, schemas, found, entered);
      continue;
    }
    const name = value.slice(value.lastIndexOf('/') + 1);
    // Schemas may refer to each other in a cycle.
    if (entered.has(name)) continue;
    entered.add(name);
    referencesIn(schemas[name], schemas, found, entered);
    found.add(name);
  }
  return found;
}

/** Lists the tags in the order of their first use, with descriptions. */
export function withTags(document: OpenAPIObject): OpenAPIObject {
  const names = Object.values({ ...document.paths, ...document.webhooks }).flatMap((path) =>
    Object.values(path as object).flatMap((operation: { tags?: string[] }) => operation.tags ?? []),
  );
  const tags = [...new Set(names)].map((name) => ({ name, description: TAGS[name] ?? name }));
  return { ...document, tags };
}

const TAGS: Readonly<Record<string, string>> = {
  Websites: 'The websites of an organization, which contain its endpoints.',
  Endpoints: 'An endpoint is one monitored target, with its interval and the rules that evaluate each check.',
  Pings: 'Ping URLs that jobs use to report their runs. Any program can request them.',
  Alerts: 'Rules that notify when an endpoint fails, and the events that they raised.',
  Incidents: 'Groups of endpoints that went down together, with updates from members.',
  Contacts: 'Channels that you configure once and use in any number of alerts.',
  Deliveries: 'The deliveries of notifications and their results.',
  Checks: 'Checks on demand.',
  Probes: 'The same program running at other locations, including probes that the operator shares.',
  History: 'Individual checks, uptime, and latency over any range.',
  Stream: 'Live events.',
  'Maintenance windows': 'Periods in which alerts are muted and checks do not count.',
  'Status pages': 'Public pages that show the state of websites.',
  Reports: 'Uptime reports of whole months, and links to share them.',
  Configuration: 'Configuration as code.',
  Organizations: 'The current organization, and for the operator, all organizations.',
  'API keys': 'The API keys of your organization.',
  'Audit log': 'Changes in your organization, and who made them.',
  People: 'The members of your organization, and their roles.',
  Invitations: 'Links that people use to join. You send each link yourself.',
  'Sign-in': 'Sign-in for browsers: accounts, passwords, links, sessions.',
  'Probe protocol': 'The protocol between probes and the service.',
  System: 'The state of the installation.',
  Webhooks: 'Requests that the service sends to you.',
};
