import { publicText } from '../incident-words';
import type { StatusIncident, StatusUpdate } from '../page-incidents';
import type { StatusMaintenance } from '../page-maintenance';
import type { StatusOutage, StatusSnapshot } from '../status-snapshot';
import { STATUS_WORDS } from './incident-html';
import { affected } from './maintenance-html';
import { utc, utcRange } from './times';
import { html } from '../../platform/text/html';

interface Entry {
  id: string;
  title: string;
  published: string;
  updated: string;
  category: string;
  /** Makes the text in pieces: all that was said of an incident is long. */
  text: () => Iterable<string>;
}

function outageEntry({ id, endpoint, started_at, ended_at, reason }: StatusOutage): Entry {
  const began = `Down since ${utc(started_at)}: ${reason ?? 'not reachable'}.`;
  return {
    id,
    title: ended_at === null ? `${endpoint} is down` : `${endpoint} was down`,
    published: started_at,
    // When it last became another one: it began, or it ended.
    updated: ended_at ?? started_at,
    category: ended_at === null ? 'began' : 'ended',
    text: () => [ended_at === null ? `${began} Ongoing.` : `${began} Recovered at ${utc(ended_at)}.`],
  };
}

const WORK = {
  planned: { title: 'Planned maintenance', category: 'maintenance-planned' },
  active: { title: 'Maintenance in progress', category: 'maintenance-began' },
  over: { title: 'Maintenance completed', category: 'maintenance-ended' },
} as const;

function workEntry(work: StatusMaintenance): Entry {
  const { title, category } = WORK[work.state];
  const times = `${utcRange(work.starts_at, work.ends_at)}. Affects ${affected(work)}.`;
  return {
    id: work.id,
    title: `${title}: ${work.name}`,
    published: work.published_at,
    updated: work.updated_at,
    category,
    text: () => [work.description === '' ? times : `${times}\n${publicText(work.description)}`],
  };
}

/** What was said, newest first. */
function incidentEntry(incident: StatusIncident): Entry {
  const { id, title, started_at, ended_at, updates, published_at, updated_at } = incident;
  const began = `Since ${utc(started_at)}`;
  const times = ended_at === null ? `${began}.` : `${began}, ended ${utc(ended_at)}.`;
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
    *text() {
      yield `${times} Affects ${affected(incident)}.`;
      for (const update of updates) yield `\n\n${said(update)}`;
    },
  };
}

function* entryXml({ id, title, published, updated, category, text }: Entry, address: string): Generator<string> {
  yield `<entry>
<id>urn:uuid:${id}</id>
<title>${xml(title)}</title>
<published>${published}</published>
<updated>${updated}</updated>
<link rel="alternate" type="text/html" href="${address}"/>
<category term="${category}"/>
<content type="text">`;
  for (const piece of text()) yield xml(piece);
  yield '</content>\n</entry>\n';
}

/**
 * The incidents, other outages and announced work of a page as an Atom feed (RFC 4287), one entry each, newest first: of an
 * incident it is updated whenever something is said publicly, of the others when they begin and end. It says nothing of the moment at which it was rendered, so its ETag stays while nothing happens.
 * `publicUrl`: the installation's, for a page without a host of its own.
 */
export function* atomFeed(snapshot: StatusSnapshot, publicUrl: string | null): Generator<string> {
  const { name, slug, look, incidents, otherOutages, maintenance } = snapshot;
  // Without either the page does not know where it is: readers resolve these by where the feed is.
  const base = look.domain === null ? (publicUrl ?? '') : `https://${look.domain}`;
  const page = look.domain === null ? `${base}/status/${slug}` : `${base}/`;
  const entries = [...incidents.map(incidentEntry), ...maintenance.map(workEntry), ...otherOutages.map(outageEntry)];
  entries.sort((a, b) => (a.updated > b.updated ? -1 : a.updated < b.updated ? 1 : 0));
  const updated = [look.changedAt, ...entries.map((entry) => entry.updated)].sort().at(-1) ?? look.changedAt;
  yield `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>urn:uuid:${look.id}</id>
<title>${xml(name)}</title>
<updated>${updated}</updated>
<author><name>${xml(name)}</name></author>
<link rel="self" type="application/atom+xml" href="${base}/status/${slug}/feed.atom"/>
<link rel="alternate" type="text/html" href="${page}"/>
`;
  for (const entry of entries) yield* entryXml(entry, page);
  yield '</feed>\n';
}

/** A text for content and attributes of XML 1.0, which has no place for some characters, not even escaped. */
const xml = (text: string): string =>
  html(text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd'));
