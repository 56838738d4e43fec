import { bracketed } from '../../../src/platform/net/egress/host-name';
import { cut, oneLine } from '../../../src/platform/text/text-limits';
import { readUrl } from '../../../src/platform/text/read-url';
import type { DeclaredEndpoint, DeclaredWebsite } from '../../../src/configuration/document/document';
import { parseWebsiteUrl } from '../../../src/website/website-url';
import { keyFrom, slugFrom } from '../../../src/configuration/document/keys';
import type { MappedEndpoint } from './monitor/endpoint';
import type { Groups } from './groups';
import type { Row } from './file/row';

const MAX_NAME = 255;
const MAX_LABEL = 63;
/** The website for all heartbeats, because jobs have no host to group them by. */
const HEARTBEATS = 'Heartbeats';

/** A website whose endpoints are still being collected. */
export interface WebsiteDraft {
  key: string;
  name: string;
  /** The origin of the first HTTP endpoint. */
  origin: string | null;
  /** The host that its endpoints share, used if nothing else is known. */
  host: string | null;
  group: Row | null;
  endpointKeys: Set<string>;
  endpoints: DeclaredEndpoint[];
}

/** Where a monitor was placed. */
export interface Placed {
  website: WebsiteDraft;
  /** In the form `website/endpoint`. */
  path: string;
}

/** The websites in a document: one for each group, and one for each host if monitors have no group. */
export class Websites {
  private readonly keys = new Set<string>();
  private readonly drafts = new Map<string, WebsiteDraft>();

  constructor(private readonly groups: Groups) {}

  /** Returns an endpoint's website, creating it for the first endpoint. */
  placeOf(monitor: Row, endpoint: MappedEndpoint['endpoint']): WebsiteDraft {
    const group = this.groups.of(monitor);
    const url = readUrl(endpoint.url ?? '');
    const isHttp = /^https?:$/.test(url?.protocol ?? '');
    const host = isHttp ? (url?.hostname ?? '') : hostOf(monitor);
    const website = group
      ? this.ofGroup(group)
      : endpoint.heartbeat
        ? this.draft(HEARTBEATS, HEARTBEATS, null, null)
        : this.draft(`host ${host}`, host, host, null);
    if (isHttp && url) website.origin ??= url.origin;
    return website;
  }

  find(groupId: string): WebsiteDraft | null {
    return this.drafts.get(`group ${groupId}`) ?? null;
  }

  private ofGroup(group: Row): WebsiteDraft {
    return this.draft(`group ${group.id}`, this.groups.nameOf(group), null, group);
  }

  private draft(id: string, name: string, host: string | null, group: Row | null): WebsiteDraft {
    const known = this.drafts.get(id);
    if (known) return known;
    const line = cut(oneLine(name) || 'Unnamed', MAX_NAME);
    const draft: WebsiteDraft = {
      key: keyFrom(line, this.keys),
      name: line,
      origin: null,
      host,
      group,
      endpointKeys: new Set(),
      endpoints: [],
    };
    this.drafts.set(id, draft);
    return draft;
  }

  /** Returns the declared websites. `tagsOf` returns a group's tags. */
  declared(tagsOf: (group: Row) => string[]): DeclaredWebsite[] {
    return [...this.drafts.values()].map((draft) => {
      const { key, name, group, endpoints } = draft;
      const tags = group ? tagsOf(group) : [];
      return {
        key,
        name,
        url: addressOf(draft),
        ...(group && !this.groups.isActive(group) ? { enabled: false } : {}),
        ...(tags.length > 0 ? { tags } : {}),
        endpoints,
      };
    });
  }
}

/** Returns the origin of the first HTTP endpoint, or else the shared host, or else a name that doesn't resolve. */
export function addressOf({ origin, host, key }: WebsiteDraft): string {
  const wanted = origin ?? (host === null ? null : `https://${bracketed(host)}`);
  const read = wanted === null ? null : parseWebsiteUrl(wanted);
  return read && 'url' in read ? read.url : inventedAddress(key);
}

const inventedAddress = (key: string): string => {
  const label = slugFrom(key)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LABEL)
    .replace(/^-+|(?<!-)-+$/g, '');
  return `https://${label || 'unnamed'}.invalid/`;
};

const hostOf = (monitor: Row): string => monitor.text('hostname').trim().toLowerCase() || 'unnamed';
