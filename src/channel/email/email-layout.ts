import type { Notification } from '../notification';
import { durationText } from '../kind/wording';
import { type NotificationLink, type NotificationText } from '../notification-text';
import { html } from '../../platform/text/html';
import { cut, oneLine } from '../../platform/text/text-limits';
import { mailDomain, type MailSender } from '../../platform/text/mail-address';
import { localTime, localTimes } from './local-time';

const MAX_SUBJECT = 200;
const MAX_NAME = 100;

/**
 * An email, independent of the library that sends it. Each address is a single validated address and never parsed as a
 * list.
 */
export interface Mail {
  from: MailSender;
  to: readonly string[];
  cc: readonly string[];
  subject: string;
  text: string;
  html: string;
  messageId: string;
  /** The message IDs of the previous emails in the thread, oldest first. */
  references: readonly string[];
  headers: Readonly<Record<string, string>>;
}

/** The content of an email, in reading order. Everything is plain text. */
interface Card {
  tone: NotificationText['tone'];
  heading: string;
  /** Why, in one sentence. May be empty. */
  reason: string;
  lines: readonly string[];
  facts: readonly { label: string; value: string }[];
  /** The one thing to do, or `null`. */
  button: NotificationLink | null;
  links: readonly NotificationLink[];
}

/**
 * Returns the email for a notification. Its `Message-ID` is derived from the event, so that a repeated email is
 * recognized as the same one. A resolve email refers to its trigger, so that both appear in one thread. All times are in
 * the time zone of the organization.
 */
export function emailLayout(
  notification: Notification,
  text: NotificationText,
  from: MailSender,
  recipients: { to: readonly string[]; cc: readonly string[] },
): Mail {
  const domain = mailDomain(from.address);
  const card = cardOf(notification, text);
  return {
    from,
    to: recipients.to,
    cc: recipients.cc,
    subject: cut(localTimes(text.sentence, zoneOf(notification)), MAX_SUBJECT),
    text: textOf(card),
    html: htmlOf(card),
    messageId: messageId(notification.id, domain),
    references: notification.triggerId === null ? [] : [messageId(notification.triggerId, domain)],
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}

const messageId = (id: string, domain: string): string => `<${id.replace(/[^A-Za-z0-9_.-]/g, '')}@${domain}>`;

const zoneOf = ({ timezone }: Notification): string => timezone ?? 'UTC';

/** Facts that the card shows in another way, or that only programs need. */
const LEFT_OUT: ReadonlySet<string> = new Set(['Error', 'Warning', 'Reported', 'Locations', 'Endpoint', 'Incident']);

function cardOf(notification: Notification, text: NotificationText): Card {
  const zone = zoneOf(notification);
  const { heading, reason } = saidOf(notification, text);
  const acknowledge = notification.links?.acknowledge ?? null;
  return {
    tone: text.tone,
    heading: notification.repeat ? `Repeat: ${heading}` : heading,
    reason,
    lines: text.lines,
    facts: [
      ...factsOf(notification, zone),
      ...text.facts
        .filter(({ label }) => !LEFT_OUT.has(label) && !/since$/i.test(label))
        .map(({ label, value }) => ({ label, value: localTimes(value, zone) })),
    ],
    button: acknowledge === null ? null : { label: 'Acknowledge', url: acknowledge },
    links: linksOf(notification),
  };
}

/** Returns what happened, and why. */
function saidOf(notification: Notification, { sentence }: NotificationText): Pick<Card, 'heading' | 'reason'> {
  const { kind, endpoint, error, isDegraded, outage = 1, durationSeconds, reason } = notification;
  const name = cut(oneLine(endpoint.name) || oneLine(endpoint.id), MAX_NAME);
  const state = isDegraded ? 'degraded' : 'down';
  const lasted = durationSeconds === null ? '' : durationText(durationSeconds);
  const because = error === null ? '' : oneLine(error.message) || oneLine(error.code);
  switch (kind) {
    case 'triggered':
      return { heading: `${name} is ${state}${outage > 1 ? ' again' : ''}`, reason: because };
    case 'reminder':
      return { heading: `${name} is still ${state}`, reason: because };
    case 'recovered':
      return { heading: `${name} was ${state}${lasted && ` for ${lasted}`}`, reason: because };
    case 'resolved':
      if (reason === 'threshold' || reason === null)
        return { heading: `${name} has recovered${lasted && ` after ${lasted}`}`, reason: '' };
      return { heading: localTimes(sentence, zoneOf(notification)), reason: '' };
    default:
      return { heading: localTimes(sentence.replace(/^Repeat: /, ''), zoneOf(notification)), reason: '' };
  }
}

function factsOf(notification: Notification, zone: string): Card['facts'] {
  const {
    kind,
    startedAt,
    createdAt,
    durationSeconds,
    locations,
    failureCount,
    outage = 1,
    incidentNumber,
  } = notification;
  const isOver = kind === 'resolved' || kind === 'recovered';
  const isOutage = isOver || kind === 'triggered' || kind === 'reminder';
  const until =
    startedAt === null || durationSeconds === null
      ? createdAt
      : new Date(Date.parse(startedAt) + durationSeconds * 1000).toISOString();
  const down = (locations ?? []).filter(({ outcome }) => outcome === 'down').map(({ location }) => oneLine(location));
  const facts = [
    { label: sinceLabel(notification), value: startedAt === null ? '' : localTime(startedAt, zone) },
    { label: 'Recovered', value: isOver ? localTime(until, zone) : '' },
    {
      label: 'Seen from',
      value: locations && down.length > 0 ? `${down.length} of ${locations.length} locations: ${down.join(', ')}` : '',
    },
    { label: 'Failed checks', value: kind === 'triggered' && failureCount > 0 ? `${failureCount} in a row` : '' },
    {
      label: 'Incident',
      value:
        incidentNumber === undefined || !isOutage ? '' : `#${incidentNumber}${outage > 1 ? `, outage ${outage}` : ''}`,
    },
  ];
  return facts.filter(({ label, value }) => label !== '' && value !== '');
}

function sinceLabel({ kind, isDegraded }: Notification): string {
  if (kind === 'contact_failing') return 'Failing since';
  if (kind === 'triggered' || kind === 'reminder') return 'Since';
  return kind === 'resolved' || kind === 'recovered' ? `${isDegraded ? 'Degraded' : 'Down'} since` : '';
}

function linksOf({ links, incidentNumber, kind }: Notification): NotificationLink[] {
  if (!links) return [];
  if (links.incident === undefined || kind === 'digest') return [{ label: 'Details', url: links.page }];
  return [
    {
      label: incidentNumber === undefined ? 'Open the incident' : `Open incident #${incidentNumber}`,
      url: links.incident,
    },
    { label: 'Open the endpoint', url: links.page },
  ];
}

function textOf({ heading, reason, lines, facts, button, links }: Card): string {
  const parts = [
    heading,
    reason,
    lines.join('\n'),
    facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    [...(button ? [button] : []), ...links].map(({ label, url }) => `${label}: ${url}`).join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const INK = { bad: '#a8161d', warning: '#8f3d00', good: '#08633c', neutral: '#344054' } as const;
const WASH = { bad: '#fdebea', warning: '#ffebdc', good: '#e2f5ea', neutral: '#eef1f6' } as const;
const WORD = { bad: 'Down', warning: 'Degraded', good: 'Recovered', neutral: 'Notice' } as const;

/** For email clients with dark mode and style sheets. Others use the light colors, which include their background. */
const DARK =
  ':root{color-scheme:light dark;supported-color-schemes:light dark}' +
  '@media (prefers-color-scheme:dark){body,.page{background:#0b0f17!important}' +
  '.card{background:#141a25!important;border-color:#374152!important}.ink{color:#eaeef6!important}' +
  '.soft{color:#a5b0c3!important}.fact{border-color:#374152!important}a.link{color:#8fb0ff!important}' +
  '.bad{color:#ff9d96!important;background:#361719!important}.warning{color:#ffae75!important;background:#341e0f!important}' +
  '.good{color:#68daa6!important;background:#0f2a20!important}.neutral{color:#d0d5dd!important;background:#222a38!important}' +
  'a.button{color:#0a1838!important;background:#8fb0ff!important}}';

const FONT = 'font-family:-apple-system,BlinkMacSystemFont,&quot;Segoe UI&quot;,Roboto,Helvetica,Arial,sans-serif';

/** A card that is at most 480 px wide, and as wide as the screen of a phone. It loads nothing from any server. */
function htmlOf({ tone, heading, reason, lines, facts, button, links }: Card): string {
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><td class="soft fact" style="padding:8px 12px 8px 0;border-top:1px solid #e4e8ef;color:#49556a;vertical-align:top;white-space:nowrap">${html(label)}</td>` +
      `<td class="ink fact" style="padding:8px 0;border-top:1px solid #e4e8ef;color:#0f1728;overflow-wrap:anywhere;word-break:break-word">${html(value).replaceAll('\n', '<br>')}</td></tr>`,
  );
  const listed = lines.map((line) => `<li style="margin:0 0 4px">${html(line)}</li>`).join('');
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${html(heading)}</title><style>${DARK}</style></head>`,
    `<body style="margin:0;padding:0;background:#f3f5f9;${FONT};font-size:15px;line-height:1.45">`,
    '<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f5f9"><tr><td align="center" style="padding:16px 8px">',
    '<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#ffffff;border:1px solid #d5dbe5;border-radius:12px"><tr><td align="left" style="padding:20px">',
    `<p style="margin:0 0 12px"><span class="${tone}" style="display:inline-block;padding:2px 10px;border-radius:999px;font-size:13px;font-weight:600;color:${INK[tone]};background:${WASH[tone]}">${WORD[tone]}</span></p>`,
    `<h1 class="ink" style="margin:0 0 6px;font-size:20px;line-height:1.25;color:#0f1728;overflow-wrap:anywhere;word-break:break-word">${html(heading)}</h1>`,
    ...(reason === ''
      ? []
      : [
          `<p class="ink" style="margin:0 0 12px;color:#0f1728;overflow-wrap:anywhere;word-break:break-word">${html(reason)}</p>`,
        ]),
    ...(button === null ? [] : [buttonOf(button)]),
    ...(listed === ''
      ? []
      : [
          `<ul class="ink" style="margin:12px 0;padding:0 0 0 18px;color:#0f1728;overflow-wrap:anywhere;word-break:break-word">${listed}</ul>`,
        ]),
    ...(rows.length === 0
      ? []
      : [
          `<table cellpadding="0" cellspacing="0" width="100%" style="border-collapse:collapse;font-size:14px">${rows.join('')}</table>`,
        ]),
    ...(links.length === 0
      ? []
      : [`<p style="margin:16px 0 0;font-size:14px">${links.map(linkOf).join(' &nbsp; ')}</p>`]),
    '</td></tr></table></td></tr></table>',
    '</body></html>',
    '',
  ].join('\n');
}

const buttonOf = ({ label, url }: NotificationLink): string =>
  `<p style="margin:16px 0"><a class="button" href="${html(url)}" style="display:block;padding:14px 16px;border-radius:8px;` +
  `background:#2350d8;color:#ffffff;font-size:16px;font-weight:600;text-align:center;text-decoration:none">${html(label)}</a></p>`;

const linkOf = ({ label, url }: NotificationLink): string =>
  `<a class="link" href="${html(url)}" style="color:#2350d8">${html(label)}</a>`;
