import { publicText } from '../incident-words';
import type { StatusIncident, StatusPeriod, StatusUpdate } from '../page-incidents';
import type { StatusMaintenance } from '../page-maintenance';
import type { StatusOutage, StatusSnapshot } from '../status-snapshot';
import { STATUS_WORDS } from './incident-html';
import { affected } from './maintenance-html';
import { absolutePaths, type PagePaths, pathsOf } from './page-paths';
import { utc, utcRange } from './times';
import { html } from '../../platform/text/html';

interface Entry {
  id: string;
  title: string;
  published: string;
  updated: string;
  category: string;
  /** The URL of the page about it. */
  href: string;
  /** Yields the text in pieces, because an incident's updates can be long in total. */
  text: () => Iterable<string>;
}

function outageEntry({ id, endpoint, started_at, ended_at, reason }: StatusOutage, { home }: PagePaths): Entry {
  const began = `Down since ${utc(started_at)}: ${reason ?? 'not reachable'}.`;
  return {
    id,
    title: ended_at === null ? `${endpoint} is down` : `${endpoint} was down`,
    published: started_at,
    // The time of the last change, which is the start or the end.
    updated: ended_at ?? started_at,
    category: ended_at === null ? 'began' : 'ended',
    href: home,
    text: () => [ended_at === null ? `${began} Ongoing.` : `${began} Recovered at ${utc(ended_at)}.`],
  };
}

const WORK = {
  planned: { title: 'Planned maintenance', category: 'maintenance-planned' },
  active: { title: 'Maintenance in progress', category: 'maintenance-began' },
  over: { title: 'Maintenance completed', category: 'maintenance-ended' },
} as const;

function workEntry(work: StatusMaintenance, { home }: PagePaths): Entry {
  const { title, category } = WORK[work.state];
  const times = `${utcRange(work.starts_at, work.ends_at)}. Affects ${affected(work)}.`;
  return {
    id: work.id,
    title: `${title}: ${work.name}`,
    published: work.published_at,
    updated: work.updated_at,
    category,
    href: home,
    text: () => [work.description === '' ? times : `${times}\n${publicText(work.description)}`],
  };
}

/** The maximum number of outages that an entry lists. */
const MAX_LISTED = 10;

/** Returns text such as "2 outages: 2026-11-24 09:15 to 09:20 UTC, since 2026-11-24 09:23 UTC." */
function outageText(outages: readonly StatusPeriod[]): string {
  const listed = outages
    .slice(0, MAX_LISTED)
    .toReversed()
    .map(({ started_at, ended_at }) =>
      ended_at === null ? `since ${utc(started_at)}` : utcRange(started_at, ended_at),
    );
  return `${outages.length} outages: ${listed.length < outages.length ? '…, ' : ''}${listed.join(', ')}.`;
}

/** The updates are newest first. */
function incidentEntry(incident: StatusIncident, paths: PagePaths): Entry {
  const { id, title, started_at, ended_at, outages, updates, published_at, updated_at } = incident;
  const began = `Since ${utc(started_at)}`;
  const recurred = outages ? ` ${outageText(outages)}` : '';
  const times = `${ended_at === null ? began : `${began}, ended ${utc(ended_at)}`}.${recurred}`;
  const said = ({ at, status, text }: StatusUpdate): string =>
    [`${utc(at)}, ${status === null ? 'Update' : STATUS_WORDS[status]}`, publicText(text)]
      .filter((part) => part !== '')
      .join(': ');
  return {
    id,
    title,
    published: published_at,
    updated: updated_at,
    category: ended_at === null ? 'incident-open' : 'incident-over',
    href: paths.incident(id),
    *text() {
      yield `${times} Affects ${affected(incident)}.`;
      for (const update of updates) yield `\n\n${said(update)}`;
    },
  };
}

function* entryXml({ id, title, published, updated, category, href, text }: Entry): Generator<string> {
  yield `<entry>
<id>urn:uuid:${id}</id>
<title>${xml(title)}</title>
<published>${published}</published>
<updated>${updated}</updated>
<link rel="alternate" type="text/html" href="${href}"/>
<category term="${category}"/>
<content type="text">`;
  for (const piece of text()) yield xml(piece);
  yield '</content>\n</entry>\n';
}

/**
 * Yields an Atom feed (RFC 4287) of a page's incidents, other outages, and announced maintenance, with one entry each,
 * newest first. An incident's entry is updated with each public update, and the others when they start and end. The
 * feed doesn't contain the time of rendering, so its ETag stays the same while nothing happens. `publicUrl` is the
 * installation's URL, for a page without its own host.
 */
export function* atomFeed(snapshot: StatusSnapshot, publicUrl: string | null): Generator<string> {
  const { name, slug, look, incidents, otherOutages, maintenance } = snapshot;
  // If its URL is unknown, feed readers resolve the links relative to the feed.
  const paths = absolutePaths(snapshot, publicUrl) ?? pathsOf(slug, { root: '', hosted: false });
  const entries = [
    ...incidents.map((incident) => incidentEntry(incident, paths)),
    ...maintenance.map((work) => workEntry(work, paths)),
    ...otherOutages.map((outage) => outageEntry(outage, paths)),
  ];
  entries.sort((a, b) => (a.updated > b.updated ? -1 : a.updated < b.updated ? 1 : 0));
  const updated = [look.changedAt, ...entries.map((entry) => entry.updated)].sort().at(-1) ?? look.changedAt;
  yield `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>urn:uuid:${look.id}</id>
<title>${xml(name)}</title>
<updated>${updated}</updated>
<author><name>${xml(name)}</name></author>
<link rel="self" type="application/atom+xml" href="${paths.feed}"/>
<link rel="alternate" type="text/html" href="${paths.home}"/>
`;
  for (const entry of entries) yield* entryXml(entry);
  yield '</feed>\n';
}

/** Escapes text for XML 1.0 content and attributes. XML doesn't allow some characters, even if they are escaped. */
const xml = (text: string): string =>
  html(text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd'));
