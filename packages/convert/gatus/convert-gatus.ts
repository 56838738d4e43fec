import type { ConfigurationDocument, DeclaredWindow } from '../../../src/configuration/document/document';
import type { Conversion, Converter, ReportEntry } from '../conversion';
import { refuseTooMany } from './bounds';
import { Contacts } from './contacts';
import { Endpoints, labelOf, type ReadEndpoint } from './endpoints';
import { Differences, Fields, isMapping, quoted } from './fields';
import { keyFrom } from '../../../src/configuration/document/keys';
import { readMaintenance } from './maintenance';
import { type GatusSource, type Placed, readSource } from './source';
import { Secrets } from './variables';
import { groupIntoWebsites } from './websites';

type Report = (entry: ReportEntry) => void;

/** Why a top-level section has nothing to convert. */
const NO_MONITORS: Readonly<Record<string, string>> = {
  metrics: 'not a monitor: GET /api/v1/metrics is always available',
  storage: 'not a monitor: sets where Gatus stores its results',
  web: 'not a monitor: sets how Gatus serves its pages',
  ui: 'not a monitor: sets how Gatus’s pages look',
  security: 'not a monitor: sets who can see Gatus’s pages',
  debug: 'not a monitor: sets what Gatus logs',
  concurrency: 'not a monitor: sets how many checks Gatus runs at once',
  'disable-monitoring-lock': 'not a monitor: sets how many checks Gatus runs at once',
  'skip-invalid-config-update': 'not a monitor: sets how Gatus reads its files',
  connectivity: 'not a monitor: this service detects automatically when it is offline',
  remote: 'monitors of other Gatus instances: convert the files of those instances',
  tunneling: 'not a monitor: SSH tunnels are not supported',
  announcements: 'not a monitor: status pages have no announcements',
  kubernetes: 'monitors that Gatus found in a cluster are not in the file',
};
/** Sections that contain monitors, notifications, or windows. */
const READ = new Set(['endpoints', 'services', 'external-endpoints', 'suites', 'alerting', 'maintenance']);

/** Converts a Gatus configuration, given as one file or several separated by `---`. */
export const convertGatus: Converter = (text, channels) => {
  const source = readSource(text);
  refuseTooMany(source);
  const report: ReportEntry[] = [...source.report];
  const add: Report = (entry) => void report.push(entry);
  const secrets = new Secrets();
  const contacts = new Contacts(secrets, add, channels);
  for (const [name, { value, at }] of source.members('alerting')) contacts.add(name, value, at);
  const endpoints = new Endpoints(contacts, secrets, add);
  const windowKeys = new Set<string>();
  const everywhere = globalWindow(source.sections.get('maintenance'), windowKeys, add);
  const read = [
    ...[...source.items('endpoints'), ...source.items('services')].map(({ value, at }) => endpoints.read(value, at)),
    ...source.items('external-endpoints').map(({ value, at }) => endpoints.readExternal(value, at)),
  ].filter((endpoint) => endpoint !== null);
  const { websites, windows } = groupIntoWebsites(read, windowKeys, add);
  reportSkipped(source, add);
  return conversionOf({ contacts, websites, windows: [...everywhere, ...windows] }, read, report);
};

function conversionOf(
  {
    contacts,
    websites,
    windows,
  }: { contacts: Contacts; websites: ConfigurationDocument['websites']; windows: DeclaredWindow[] },
  read: readonly ReadEndpoint[],
  report: ReportEntry[],
): Conversion {
  const document: ConfigurationDocument = { version: 1 };
  if (contacts.declared.length > 0) document.contacts = contacts.declared;
  if (websites && websites.length > 0) document.websites = websites;
  if (windows.length > 0) document.maintenance_windows = windows;
  return { document, report: inOrder(report) };
}

/** Sorts entries by their line in the file. Entries without a line come last. */
const inOrder = (report: readonly ReportEntry[]): ReportEntry[] =>
  report.toSorted((a, b) => (lineOf(a) ?? Infinity) - (lineOf(b) ?? Infinity) || 0);

const lineOf = ({ at }: ReportEntry): number | null => (at.startsWith('line ') ? Number(at.slice(5)) : null);

function globalWindow(section: Placed | undefined, keys: Set<string>, report: Report): DeclaredWindow[] {
  if (section === undefined || section.value === null) return [];
  const { at } = section;
  const name = 'maintenance';
  if (!isMapping(section.value)) {
    report({ at, name, result: 'skipped', why: `${quoted(section.value)} is not a maintenance section` });
    return [];
  }
  const differences = new Differences();
  const read = readMaintenance(new Fields(section.value, differences));
  if ('refused' in read) {
    report({ at, name, result: 'skipped', why: read.refused });
    return [];
  }
  const why = differences.words;
  report({ at, name, result: why === null ? 'mapped' : 'approximated', why });
  return [{ key: keyFrom('maintenance', keys), name: 'Maintenance', ...read.recurrence, scope: { all: true } }];
}

/** Reports what can't be in a document: suites, and sections without monitors. */
function reportSkipped(source: GatusSource, report: Report): void {
  for (const { value, at } of source.items('suites')) reportSuite(value, at, report);
  for (const [name, { value, at }] of source.sections) {
    if (!READ.has(name)) report({ at, name: quoted(name), result: 'skipped', why: reasonOf(name) });
    else if (!isOfItsKind(name, value))
      report({ at, name, result: 'skipped', why: `it is ${quoted(value)} and cannot be read` });
  }
}

const reasonOf = (name: string): string =>
  (Object.hasOwn(NO_MONITORS, name) ? NO_MONITORS[name] : undefined) ??
  'not a Gatus section; the parts that refer to it are converted';

const isOfItsKind = (name: string, value: unknown): boolean =>
  value === null || name === 'maintenance' || (name === 'alerting' ? isMapping(value) : Array.isArray(value));

function reportSuite(value: unknown, at: string, report: Report): void {
  const suite = isMapping(value) ? value : {};
  const label = labelOf(new Fields(suite, new Differences()));
  const why =
    'a suite runs its endpoints one after the other and passes values between them, which checks do not support';
  report({ at, name: label, result: 'skipped', why });
  const members: unknown[] = Array.isArray(suite['endpoints']) ? suite['endpoints'] : [];
  for (const member of members) {
    const name = labelOf(new Fields(isMapping(member) ? member : {}, new Differences()));
    report({ at, name: `${label} / ${name}`, result: 'skipped', why: `it is a step of the suite ${label}` });
  }
}
