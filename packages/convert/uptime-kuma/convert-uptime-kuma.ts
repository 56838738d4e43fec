import { mayHoldCredential } from '../../../src/checker/url-credentials';
import { oneLine } from '../../../src/platform/text/text-limits';
import type { ConfigurationDocument, DeclaredEndpoint, Text } from '../../../src/configuration/document/document';
import type { ChannelRules, Conversion, Converter, ReportEntry } from '../conversion';
import { keyFrom } from '../../../src/configuration/document/keys';
import { alertsOf } from './alerts';
import { type Backup, readBackup } from './file/backup';
import { type Channel, contactsOf, entryOf } from './contacts';
import { endpointOf, isActive, type MappedEndpoint, proxyAddress } from './monitor/endpoint';
import { Groups, isGroup } from './groups';
import { windowsOf } from './maintenance';
import { Relations } from './file/relations';
import type { Row } from './file/row';
import { Secrets } from './secrets';
import { statusPagesOf } from './status-pages';
import { tagsOf } from './monitor/tags';
import { addressOf, type Placed, Websites } from './websites';

/** Tables that are used together with others, or that contain nothing to convert. */
const NO_REPORT = new Set(['monitor', 'notification', 'proxy', 'maintenance', 'status_page', 'tag', 'group']);

/**
 * Converts an Uptime Kuma 1 backup, or tables from version 2. Each monitor, notification, proxy, maintenance window,
 * and status page is either in the document or reported as skipped. Throws: `malformed_document` or
 * `validation_failed`.
 */
export const convertUptimeKuma: Converter = (text, channelRules) =>
  conversionOf(readBackup(text), channelRules, new Date());

function conversionOf(backup: Backup, channelRules: ChannelRules, now: Date): Conversion {
  const rows = (table: string): readonly Row[] => backup.tables.get(table) ?? [];
  const [monitors, secrets, relations] = [rows('monitor'), new Secrets(), new Relations(backup)];
  const contacts = contactsOf(rows('notification'), secrets, channelRules);
  const groups = new Groups(monitors);
  const websites = new Websites(groups);
  const placed = new Map<string, Placed>();
  const report: ReportEntry[] = [...contacts.report];
  const entries = new Map<Row, ReportEntry>();
  for (const monitor of monitors.filter((one) => !isGroup(one))) {
    const mapped = endpointOf(monitor, { proxies: rows('proxy'), tags: relations.tagsOf(monitor) });
    if ('reason' in mapped) {
      entries.set(monitor, { at: monitor.at, name: monitor.name, result: 'skipped', why: mapped.reason });
      continue;
    }
    const website = websites.placeOf(monitor, mapped.endpoint);
    const key = keyFrom(mapped.endpoint.name, website.endpointKeys);
    const channels = relations.notificationsOf(monitor).map((id) => contacts.channels.get(id) ?? missing(id));
    const { alerts, differences } = alertsOf(monitor, channels, mapped.endpoint);
    website.endpoints.push({ key, ...declared(mapped, `endpoint ${website.key} ${key}`, secrets), alerts });
    if (!placed.has(monitor.id)) placed.set(monitor.id, { website, path: `${website.key}/${key}` });
    entries.set(monitor, entryOf(monitor, [...mapped.differences, ...differences]));
  }
  for (const group of monitors.filter(isGroup))
    entries.set(group, groupEntry(group, { groups, websites, relations, contacts: contacts.channels }));
  report.push(...monitors.flatMap((monitor) => entries.get(monitor) ?? []));
  report.push(...rows('proxy').map(proxyEntry));
  const windows = windowsOf(rows('maintenance'), { relations, groups, websites, placed, now });
  const pages = statusPagesOf(rows('status_page'), rows('group'), { relations, websites, placed });
  report.push(...windows.report, ...pages.report, ...otherTables(backup), ...backup.unread);
  const document: ConfigurationDocument = {
    version: 1,
    ...(Object.keys(secrets.values).length > 0 ? { secrets: secrets.values } : {}),
    ...(contacts.declared.length > 0 ? { contacts: contacts.declared } : {}),
    websites: websites.declared((group) => tagsOf(relations.tagsOf(group)).tags),
    ...(windows.declared.length > 0 ? { maintenance_windows: windows.declared } : {}),
    ...(pages.declared.length > 0 ? { status_pages: pages.declared } : {}),
  };
  return { document, report };
}

const missing = (id: string): Channel => ({ name: `#${id}`, refused: 'it is not in the file' });

const CREDENTIAL_IN_BODY = /pass(word|phrase|wd)?\b|secret|token|api[_-]?key|credential/i;

/** Moves possible credentials to secrets: header values, and any URL or body that contains one. */
function declared({ endpoint }: MappedEndpoint, hint: string, secrets: Secrets): Omit<DeclaredEndpoint, 'key'> {
  const { headers, url, body, heartbeat, settings, ...rest } = endpoint;
  const hidden = (text: string, field: string, isHidden: boolean): Text =>
    isHidden ? secrets.keep(`${hint} ${field}`, text) : text;
  const tokenOf = ({ push_token: token }: { push_token?: string }) =>
    token === undefined ? {} : { push_token: secrets.keep(`${hint} push token`, token) };
  return {
    ...rest,
    ...(url === undefined ? {} : { url: hidden(url, 'url', mayHoldCredential(url)) }),
    ...(heartbeat && { heartbeat: { ...heartbeat, ...tokenOf(heartbeat) } }),
    ...(body === undefined ? {} : { body: hidden(body, 'body', CREDENTIAL_IN_BODY.test(body)) }),
    ...(headers ? { headers: secrets.headers(hint, headers) } : {}),
    ...(settings && { settings: secrets.settings(hint, settings) }),
  };
}

interface Around {
  groups: Groups;
  websites: Websites;
  relations: Relations;
  contacts: ReadonlyMap<string, Channel>;
}

function groupEntry(group: Row, { groups, websites, relations, contacts }: Around): ReportEntry {
  const website = websites.find(group.id);
  if (website === null)
    return { at: group.at, name: group.name, result: 'skipped', why: 'its monitors are not converted' };
  const { tags, difference } = tagsOf(relations.tagsOf(group));
  const told = relations.notificationsOf(group).map((id) => contacts.get(id)?.name ?? `#${id}`);
  const address = website.origin === null ? addressOf(website) : null;
  return entryOf(group, [
    ...(address === null
      ? []
      : [`a website must have a URL, and it has no HTTP monitor, so ${address} is used as a placeholder`]),
    ...(website.name === oneLine(groups.nameOf(group)) ? [] : ['its name is shortened']),
    ...(tags.length > 0 ? ['its tags apply to all its endpoints'] : []),
    ...(difference === null ? [] : [difference]),
    ...(told.length > 0 ? [`websites have no alerts, only endpoints have them: it notified ${told.join(', ')}`] : []),
    ...(group.text('description') === '' ? [] : ['websites have no description']),
  ]);
}

const proxyEntry = (proxy: Row): ReportEntry => ({
  at: proxy.at,
  name: proxyAddress(proxy),
  result: 'skipped',
  why: isActive(proxy)
    ? 'checks cannot use their own proxy'
    : 'it is turned off, and checks cannot use their own proxy',
});

/** Returns an entry for each table that isn't used. */
const otherTables = ({ tables }: Backup): ReportEntry[] =>
  [...tables]
    .filter(([table, rows]) => rows.length > 0 && !NO_REPORT.has(table) && !Relations.TABLES.has(table))
    .map(([table, rows]) => ({
      at: rows[0]?.at ?? '',
      name: table,
      result: 'skipped',
      why: `${rows.length === 1 ? 'one row is' : `${rows.length} rows are`} not supported`,
    }));
