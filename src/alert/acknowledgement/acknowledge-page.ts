import { createHash } from 'node:crypto';
import { localTime } from '../../channel/email/local-time';
import { durationText } from '../../channel/kind/wording';
import { formatId } from '../../platform/ids/id';
import { html } from '../../platform/text/html';
import { plural } from '../../platform/text/plural';
import { oneLine } from '../../platform/text/text-limits';
import { SECOND_MS } from '../../platform/time/time-units';
import { MAX_LINK_NAME, MAX_NOTE } from './acknowledgement.dto';

export interface LinkedEndpoint {
  /** UUID. */
  endpointId: string;
  endpoint: string;
  website: string;
  /** The time zone of the organization. */
  timezone: string;
  /** Why the alert triggered. */
  error: string | null;
  status: 'down' | 'degraded' | 'other';
  /** When the first check of the episode ran. */
  startedAt: Date | null;
  /** Whether the episode is still open. */
  isOpen: boolean;
  acknowledgement: InHand | null;
  /** The open incident that the endpoint is in now, if that incident has other endpoints as well. */
  incident: LinkedIncident | null;
}

interface InHand {
  by: string | null;
  isByLink: boolean;
  at: Date;
  note: string;
}

export interface LinkedIncident {
  number: number;
  /** The number of endpoints that are down or degraded now. */
  open: number;
  acknowledgement: InHand | null;
}

const STYLE = `
:root{color-scheme:light dark;--ground:#f3f5f9;--surface:#fff;--line:#d0d8e4;--ink:#0f1728;--soft:#49556a;--link:#2350d8;--on:#fff;
--down-ink:#a8161d;--down-wash:#fdebea;--degraded-ink:#8f3d00;--degraded-wash:#ffebdc;--up-ink:#08633c;--up-wash:#e2f5ea}
@media (prefers-color-scheme:dark){:root{--ground:#0b0f17;--surface:#141a25;--line:#374152;--ink:#eaeef6;--soft:#a5b0c3;--link:#8fb0ff;--on:#0a1838;
--down-ink:#ff9d96;--down-wash:#361719;--degraded-ink:#ffae75;--degraded-wash:#341e0f;--up-ink:#68daa6;--up-wash:#0f2a20}}
*{box-sizing:border-box;margin:0;padding:0}
body{background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main{max-width:480px;margin:0 auto;padding:40px 20px 64px}
h1{padding:20px 24px;border-radius:16px;font-size:22px;line-height:1.25}
.down{color:var(--down-ink);background:var(--down-wash)}.degraded{color:var(--degraded-ink);background:var(--degraded-wash)}
.other,.over{background:var(--surface);border:1px solid var(--line)}
p{margin-top:16px}.soft{color:var(--soft)}
.done{padding:12px 16px;border-radius:10px;color:var(--up-ink);background:var(--up-wash);font-weight:600}
blockquote{margin-top:12px;padding:4px 14px;border-left:3px solid var(--line);white-space:pre-line}
label{display:block;margin:24px 0 6px;font-weight:600}
textarea{display:block;width:100%;min-height:88px;padding:10px 12px;border:1px solid var(--soft);border-radius:8px;background:var(--surface);color:inherit;font:inherit;resize:vertical}
input{display:block;width:100%;min-height:44px;padding:10px 12px;border:1px solid var(--soft);border-radius:8px;background:var(--surface);color:inherit;font:inherit}
button{display:block;width:100%;margin-top:16px;min-height:52px;padding:10px 20px;border:0;border-radius:8px;background:var(--link);color:var(--on);font:inherit;font-weight:600;cursor:pointer}
.only{min-height:44px;background:none;color:var(--link);font-weight:400;text-decoration:underline}
details{margin-top:16px}summary{min-height:24px;color:var(--link);cursor:pointer}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
`;

/**
 * The Content-Security-Policy of the pages. It allows their own style, their icon, and a form that is sent to the same
 * URL.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** All URLs are relative, so that the page works under any path. */
const pageOf = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="../favicon.svg">
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;

/** The page is byte-for-byte the same for every token that is invalid, was changed, or is too old. */
export const NO_LINK_PAGE = pageOf(
  'This link is not valid',
  '<h1 class="over">This link is not valid</h1>\n<p>It is incomplete, or it is older than seven days. Open the endpoint in the dashboard, or use the link in a newer message.</p>',
);

/** Returns the page for an episode that has ended. `endpoint` is `null` if it was deleted as well. */
export function overPage(endpoint: { endpointId: string; endpoint: string } | null): string {
  const name = endpoint === null ? '' : ` of ${html(oneLine(endpoint.endpoint))}`;
  const dashboard = endpoint === null ? '' : `\n${dashboardLink(endpoint.endpointId)}`;
  return pageOf(
    'This outage is over',
    `<h1 class="over">This outage is over</h1>\n<p>The outage${name} that this link belongs to has ended, so there is nothing to acknowledge.</p>${dashboard}`,
  );
}

/** The parts of the page that differ between responses. */
interface Shown {
  /** Whether this request acknowledged it. */
  isDone: boolean;
  /** The name to suggest. May be empty. */
  name: string;
  now: Date;
}

/**
 * Returns the page for an open episode, or for an open incident that it was in. The page shows the status and who
 * acknowledged it, or how to acknowledge it.
 */
export function episodePage(linked: LinkedEndpoint, { isDone, name, now }: Shown): string {
  const { incident, timezone } = linked;
  const headline = html(headlineOf(linked));
  return pageOf(
    headline,
    [
      `<h1 class="${linked.status}">${headline}</h1>`,
      `<p class="soft">${[html(oneLine(linked.website)) + sinceText(linked, now), ...(incident ? [incidentText(incident)] : [])].join(' · ')}</p>`,
      ...(linked.error !== null && linked.isOpen ? [`<p>${html(oneLine(linked.error))}</p>`] : []),
      ...(linked.acknowledgement && linked.isOpen && !incident?.acknowledgement
        ? inHand(linked.acknowledgement, isDone, timezone)
        : []),
      ...(incident?.acknowledgement ? inHand(incident.acknowledgement, isDone, timezone) : []),
      ...formOf(linked, name),
      dashboardLink(linked.endpointId),
    ].join('\n'),
  );
}

const incidentText = ({ number, open }: LinkedIncident): string =>
  `incident #${number}, ${plural(open, 'endpoint')} down`;

function headlineOf({ endpoint, status, isOpen }: LinkedEndpoint): string {
  const name = oneLine(endpoint);
  if (!isOpen) return `${name} has recovered, others have not`;
  return status === 'other' ? `${name} has not fully recovered yet` : `${name} is ${status}`;
}

function sinceText({ startedAt, timezone }: LinkedEndpoint, now: Date): string {
  if (startedAt === null) return '';
  const length = durationText((now.getTime() - startedAt.getTime()) / SECOND_MS);
  return `, since ${html(localTime(startedAt.toISOString(), timezone))} (${length})`;
}

/**
 * Returns a form to acknowledge the incident or only the endpoint. Returns no form if both are already acknowledged. The
 * form is sent to the same URL, so that it works behind proxies that change the path.
 */
function formOf({ endpoint, acknowledgement, incident, isOpen }: LinkedEndpoint, name: string): string[] {
  const takesOne = isOpen && acknowledgement === null;
  const takesAll = incident !== null && incident.acknowledgement === null;
  if (!takesOne && !takesAll) return [];
  const all = takesAll
    ? `<button name="all" value="1">Acknowledge incident #${incident.number} (${plural(incident.open, 'endpoint')})</button>\n`
    : '';
  const one = takesAll
    ? `<button class="only">Only ${html(oneLine(endpoint))}</button>\n`
    : '<button>Acknowledge</button>\n';
  return [
    `<form method="post">
<label for="name">Your name</label>
<input id="name" name="name" maxlength="${MAX_LINK_NAME}" autocomplete="name" value="${html(name)}">
${all}${takesOne ? one : ''}<details><summary>Add a note</summary>
<label for="note">Note for your team</label>
<textarea id="note" name="note" maxlength="${MAX_NOTE}"></textarea>
</details>
</form>`,
    '<p class="soft">No more alerts trigger until it has recovered. The recovery message is still sent.</p>',
  ];
}

function inHand({ by, isByLink, at, note }: InHand, isDone: boolean, timezone: string): string[] {
  const who = html(oneLine(by ?? '') || 'someone') + (isByLink ? ', using the link in a message' : '');
  return [
    isDone
      ? '<p class="done" role="status">You acknowledged this outage.</p>'
      : '<p class="done" role="status">This outage was already acknowledged.</p>',
    `<p>Acknowledged at ${html(localTime(at.toISOString(), timezone))} by ${who}.</p>`,
    ...(note === '' ? [] : [`<blockquote>${html(note)}</blockquote>`]),
  ];
}

const dashboardLink = (endpointId: string): string =>
  `<p><a href="../#/endpoints/${formatId('endpoint', endpointId)}">Open in the dashboard</a></p>`;
