import type { StatusOutage, StatusSnapshot } from '../status-snapshot';
import { xml } from './escape';

const utc = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

/** When an outage last became another one: it began, or it ended. */
const changedAt = ({ started_at, ended_at }: StatusOutage): string => ended_at ?? started_at;

function entry(outage: StatusOutage, address: string): string {
  const { id, endpoint, started_at, ended_at, reason } = outage;
  const began = `Down since ${utc(started_at)}: ${reason ?? 'not reachable'}.`;
  const text = ended_at === null ? `${began} It goes on.` : `${began} Up again at ${utc(ended_at)}.`;
  return `<entry>
<id>urn:uuid:${id}</id>
<title>${xml(ended_at === null ? `${endpoint} is down` : `${endpoint} was down`)}</title>
<published>${started_at}</published>
<updated>${changedAt(outage)}</updated>
<link rel="alternate" type="text/html" href="${address}"/>
<category term="${ended_at === null ? 'began' : 'ended'}"/>
<content type="text">${xml(text)}</content>
</entry>
`;
}

/**
 * The outages of a page as an Atom feed (RFC 4287), one entry each, which is updated when the outage ends. It says nothing
 * of the moment at which it was rendered, so its ETag stays while nothing happens.
 */
export function* atomFeed({ name, slug, look, outages }: StatusSnapshot): Generator<string> {
  // Without a host of its own the page does not know where it is: readers resolve these by where the feed is.
  const base = look.domain === null ? '' : `https://${look.domain}`;
  const page = look.domain === null ? `/status/${slug}` : `${base}/`;
  const updated = [look.changedAt, ...outages.map(changedAt)].sort().at(-1) ?? look.changedAt;
  yield `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>urn:uuid:${look.id}</id>
<title>${xml(name)}</title>
<updated>${updated}</updated>
<author><name>${xml(name)}</name></author>
<link rel="self" type="application/atom+xml" href="${base}/status/${slug}/feed.atom"/>
<link rel="alternate" type="text/html" href="${page}"/>
`;
  for (const outage of outages) yield entry(outage, page);
  yield '</feed>\n';
}
