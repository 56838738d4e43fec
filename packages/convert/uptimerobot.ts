import { INTERVAL_BOUNDS } from '../../src/platform/config/check-bounds';
import { HTTP_METHODS } from '../../src/checker/check-request';
import { isSensitiveHeader } from '../../src/checker/request-headers';
import { readUrl } from '../../src/platform/text/read-url';
import { isRecord } from '../../src/platform/text/json';
import type { DeclaredAssertion, Text } from '../../src/configuration/document/document';
import { HEARTBEAT } from '../../src/endpoint/heartbeat/heartbeat-schedule';
import { refusalOf } from './acceptance';
import type { Conversion, ReportEntry } from './conversion';
import { DocumentBuilder, nameFrom, type NewEndpoint } from './document-builder';
import { type ForeignItem, type Members, numberIn, readForeignList, textIn } from './foreign-list';
import { everyFrom, NEW_ADDRESS } from './heartbeat';

const FORM = 'the JSON of getMonitors from version 2 of the UptimeRobot API: {"stat": "ok", "monitors": […]}';

/** HTTP methods by their number in the UptimeRobot API. */
const METHODS: Readonly<Record<number, string>> = Object.fromEntries(
  ['HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method, i) => [i + 1, method]),
);
const PORTS: Readonly<Record<number, number>> = { 1: 80, 2: 443, 3: 21, 4: 25, 5: 110, 6: 143 };
const PAUSED = 0;
const BOUNDS = {
  interval: { min: INTERVAL_BOUNDS.minimum, max: INTERVAL_BOUNDS.maximum, byDefault: 300 },
  timeout: { min: 1, max: 300, byDefault: 30 },
};

/** The conversion of a monitor, or why it is skipped. */
type Read = { endpoint: NewEndpoint; host: string } | { refused: string };

/** Converts UptimeRobot monitors. UptimeRobot has no groups, so each host becomes a website. */
export const convertUptimeRobot = (text: string): Conversion => {
  const { items, beside } = readForeignList(text, 'monitors', FORM);
  const builder = new DocumentBuilder();
  const report = items.map((item) => new Monitor(item, builder).convert());
  return builder.finish([...report, ...missingPages(items, beside), ...contactsIn(items)]);
};

class Monitor {
  private readonly differences = new Set<string>();

  constructor(
    private readonly item: ForeignItem,
    private readonly builder: DocumentBuilder,
  ) {}

  convert(): ReportEntry {
    const { value, at } = this.item;
    if (!isRecord(value)) return { at, name: '', result: 'skipped', why: 'this is not a monitor' };
    const name = nameFrom(textIn(value, 'friendly_name') || textIn(value, 'url') || textIn(value, 'id'));
    const read = this.read(value, name);
    if ('refused' in read) return { at, name, result: 'skipped', why: read.refused };
    const refused = refusalOf(read.endpoint, this.builder.valueOf);
    if (refused !== null) return { at, name, result: 'skipped', why: refused };
    this.builder.add({ name: read.host, at }, read.endpoint);
    const why = this.differences.size === 0 ? null : [...this.differences].join('; ');
    return { at, name, result: why === null ? 'mapped' : 'approximated', why };
  }

  private read(monitor: Members, name: string): Read {
    const type = numberIn(monitor, 'type');
    if (type === 1 || type === 2) return this.web(monitor, name, type === 2);
    if (type === 3) return this.other(monitor, name, 'ICMP', hostOf(monitor), `icmp://${hostOf(monitor)}`);
    if (type === 4) {
      const port = PORTS[numberIn(monitor, 'sub_type') ?? 0] ?? numberIn(monitor, 'port');
      if (port === null) return { refused: 'its port is missing' };
      return this.other(monitor, name, 'TCP', hostOf(monitor), `tcp://${hostOf(monitor)}:${port}`);
    }
    if (type === 5) return this.heartbeat(monitor, name);
    return { refused: `monitors of type ${textIn(monitor, 'type') || '(none)'} are not supported` };
  }

  private other(monitor: Members, name: string, type: 'ICMP' | 'TCP', host: string, url: string): Read {
    return { host, endpoint: { name, type, url, ...this.schedule(monitor) } };
  }

  /** Converts a heartbeat, whose ping URL is on UptimeRobot's domain. */
  private heartbeat(monitor: Members, name: string): Read {
    const { every, difference } = everyFrom(numberIn(monitor, 'interval') ?? BOUNDS.interval.byDefault);
    this.differences.add(`${NEW_ADDRESS}; the old URL is ${textIn(monitor, 'url') || 'not in the file'}`);
    if (difference !== null) this.differences.add(difference);
    const isPaused = numberIn(monitor, 'status') === PAUSED;
    return {
      host: 'heartbeats',
      endpoint: { name, type: HEARTBEAT, heartbeat: { every }, ...(isPaused && { enabled: false }) },
    };
  }

  private web(monitor: Members, name: string, hasKeyword: boolean): Read {
    const url = textIn(monitor, 'url').replace(/#.*/s, '');
    const parsed = readUrl(url);
    if (!parsed || !/^https?:$/.test(parsed.protocol)) return { refused: 'its url is not an http or https URL' };
    const method = METHODS[numberIn(monitor, 'http_method') ?? (hasKeyword ? 2 : 1)] ?? '';
    if (!HTTP_METHODS.some((known) => known === method)) return { refused: 'its HTTP method is not supported' };
    const headers = this.headers(monitor, name);
    if ('refused' in headers) return headers;
    const body = textIn(monitor, 'post_value') || (isRecord(monitor['post_value']) ? this.body(monitor) : '');
    const sendsBody = body.trim() !== '' && method !== 'GET' && method !== 'HEAD';
    const keyword = hasKeyword ? this.keyword(monitor) : [];
    const codes = this.codes(monitor);
    const assertions = [...codes, ...keyword];
    return {
      host: parsed.host,
      endpoint: {
        name,
        type: parsed.protocol === 'https:' ? 'HTTPS' : 'HTTP',
        url: withoutCredentials(url),
        method,
        ...this.schedule(monitor),
        ...(headers.list.length > 0 && { headers: headers.list }),
        ...(sendsBody && { body: this.builder.secret(`${name} body`, body) }),
        ...(assertions.length > 0 && { assertions }),
      },
    };
  }

  /** Returns form fields the way UptimeRobot sends them. */
  private body(monitor: Members): string {
    const fields = monitor['post_value'];
    if (!isRecord(fields)) return '';
    if (numberIn(monitor, 'post_type') === 2 || numberIn(monitor, 'post_content_type') === 1)
      return JSON.stringify(fields);
    return new URLSearchParams(
      Object.keys(fields).map((key): [string, string] => [key, textIn(fields, key)]),
    ).toString();
  }

  private headers(monitor: Members, name: string): { list: { key: string; value: Text }[] } | { refused: string } {
    const custom = monitor['custom_http_headers'];
    const list = isRecord(custom)
      ? Object.keys(custom).map((key) => {
          const value = textIn(custom, key);
          const isSecret = isSensitiveHeader(key) && value.trim() !== '';
          return { key, value: isSecret ? this.builder.secret(`${name} ${key}`, value) : value };
        })
      : [];
    const parsed = readUrl(textIn(monitor, 'url'));
    const user = textIn(monitor, 'http_username') || decoded(parsed?.username);
    const password = textIn(monitor, 'http_password') || decoded(parsed?.password);
    if (user === '' && password === '') return { list };
    if (numberIn(monitor, 'http_auth_type') === 2) return { refused: 'digest authentication is not supported' };
    const value = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    return { list: [...list, { key: 'Authorization', value: this.builder.secret(`${name} authorization`, value) }] };
  }

  private keyword(monitor: Members): DeclaredAssertion[] {
    const target = textIn(monitor, 'keyword_value');
    if (target === '') {
      this.differences.add('its keyword is empty and is ignored');
      return [];
    }
    if (numberIn(monitor, 'keyword_case_type') === 1)
      this.differences.add('the keyword is case-sensitive here, and was case-insensitive in UptimeRobot');
    // 1 means that finding the keyword is a failure.
    const comparison = numberIn(monitor, 'keyword_type') === 1 ? 'not_contains' : 'contains';
    return [{ source: 'body', comparison, target }];
  }

  private codes(monitor: Members): DeclaredAssertion[] {
    const { custom_http_statuses: custom } = monitor;
    const up = isRecord(custom) ? codesIn(custom['up']) : [];
    const down = isRecord(custom) ? codesIn(custom['down']) : [];
    if (up.length === 0 && down.length === 0) return [];
    const target = [rangesWithout(down), ...up].filter((codes) => codes !== '').join(',');
    return [{ source: 'status_code', comparison: 'in', target }];
  }

  private schedule(monitor: Members): Pick<NewEndpoint, 'interval' | 'timeout' | 'enabled'> {
    for (const field of ['mwindows', 'maintenance_windows'])
      if (Array.isArray(monitor[field]) && monitor[field].length > 0)
        this.differences.add('its maintenance windows are not converted: declare them as maintenance_windows');
    return {
      interval: this.seconds(monitor, 'interval'),
      timeout: this.seconds(monitor, 'timeout'),
      ...(numberIn(monitor, 'status') === PAUSED && { enabled: false }),
    };
  }

  private seconds(monitor: Members, field: 'interval' | 'timeout'): number {
    const { min, max, byDefault } = BOUNDS[field];
    const sent = numberIn(monitor, field) ?? byDefault;
    const seconds = Math.min(max, Math.max(min, Math.round(sent)));
    if (seconds !== sent) this.differences.add(`its ${field} is changed from ${sent} s to ${seconds} s`);
    return seconds;
  }
}

/** Returns the host for a monitor that doesn't use HTTP. Some are still stored with a URL. */
const hostOf = (monitor: Members): string => {
  const url = textIn(monitor, 'url');
  const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]?.replace(/:\d+$/, '') ?? url;
  return /^[0-9a-f]*:[0-9a-f:.]*$/i.test(host) ? `[${host}]` : host;
};

function decoded(text: string | undefined): string {
  try {
    return decodeURIComponent(text ?? '');
  } catch {
    return text ?? '';
  }
}

const withoutCredentials = (url: string): string => url.replace(/^(https?:\/\/)[^/?#@]*@/i, '$1');

const codesIn = (value: unknown): number[] =>
  (Array.isArray(value) ? value : []).map(Number).filter((code) => Number.isInteger(code) && code >= 100 && code < 600);

/** Returns 200 to 299 as ranges, leaving out some codes. */
function rangesWithout(codes: readonly number[]): string {
  const bounds = [199, ...codes.filter((code) => code >= 200 && code < 300).sort((a, b) => a - b), 300];
  return bounds
    .slice(1)
    .flatMap((end, i) => {
      const begin = (bounds[i] ?? end) + 1;
      return begin > end - 1 ? [] : [begin === end - 1 ? `${begin}` : `${begin}-${end - 1}`];
    })
    .join(',');
}

/** A response has at most 50 monitors and includes the total. */
function missingPages(items: readonly ForeignItem[], pages: readonly Members[]): ReportEntry[] {
  const totals = pages.map(({ pagination }) => (isRecord(pagination) ? (numberIn(pagination, 'total') ?? 0) : 0));
  const total = Math.max(0, ...totals);
  if (total <= items.length) return [];
  const why = `${total - items.length} of ${total} monitors are on other pages (offset=${items.length} …). Send all pages together`;
  return [{ at: '/pagination', name: 'other pages', result: 'skipped', why }];
}

/** The file contains only the number and address of contacts. */
function contactsIn(items: readonly ForeignItem[]): ReportEntry[] {
  const found = new Map<string, ReportEntry>();
  for (const { value, at } of items) {
    const contacts: unknown = isRecord(value) ? value['alert_contacts'] : null;
    for (const contact of Array.isArray(contacts) ? contacts.filter(isRecord) : []) {
      const id = textIn(contact, 'id');
      if (found.has(id)) continue;
      const name = textIn(contact, 'value') || `alert contact ${id}`;
      const why = 'the file does not say how the contact is notified: declare a contact, and alerts that use it';
      found.set(id, { at, name, result: 'skipped', why });
    }
  }
  return [...found.values()];
}
