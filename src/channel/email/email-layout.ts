import type { Notification } from '../notification';
import type { NotificationLink, NotificationText } from '../notification-text';
import { html } from '../../platform/text/html';
import { cut } from '../../platform/text/text-limits';
import { mailDomain, type MailSender } from '../../platform/text/mail-address';

const MAX_SUBJECT = 200;

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

/**
 * Returns the email for a notification. Its `Message-ID` is derived from the event, so that a repeated email is
 * recognized as the same one. A resolve email refers to its trigger, so that both appear in one thread.
 */
export function emailLayout(
  notification: Notification,
  text: NotificationText,
  from: MailSender,
  recipients: { to: readonly string[]; cc: readonly string[] },
): Mail {
  const domain = mailDomain(from.address);
  return {
    from,
    to: recipients.to,
    cc: recipients.cc,
    subject: cut(text.sentence, MAX_SUBJECT),
    text: `${[text.sentence, text.details, text.linkLines].filter(Boolean).join('\n\n')}\n`,
    html: htmlOf(text),
    messageId: messageId(notification.id, domain),
    references: notification.triggerId === null ? [] : [messageId(notification.triggerId, domain)],
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}

const messageId = (id: string, domain: string): string => `<${id.replace(/[^A-Za-z0-9_.-]/g, '')}@${domain}>`;

const COLORS = { bad: '#b42318', warning: '#b54708', good: '#067647', neutral: '#344054' } as const;

/** For email clients with dark mode and style sheets. Others use the light colors, which include their background. */
const DARK =
  ':root{color-scheme:light dark}@media (prefers-color-scheme:dark){body{background:#101828!important;color:#eaecf0!important}' +
  '.soft{color:#98a2b3!important}.bad{color:#fda29b!important}.warning{color:#fec84b!important}' +
  '.good{color:#6ce9a6!important}.neutral{color:#d0d5dd!important}a{color:#84caff!important}}';

function htmlOf({ tone, sentence, facts, lines, links }: NotificationText): string {
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><td class="soft" style="padding:2px 12px 2px 0;color:#667085;vertical-align:top">${html(label)}</td>` +
      `<td style="padding:2px 0">${html(value).replaceAll('\n', '<br>')}</td></tr>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">',
    `<meta name="supported-color-schemes" content="light dark"><style>${DARK}</style></head>`,
    '<body style="font-family:sans-serif;font-size:14px;color:#101828;background:#ffffff">',
    `<p class="${tone}" style="font-size:16px;font-weight:bold;color:${COLORS[tone]}">${html(sentence)}</p>`,
    ...(lines.length > 0 ? [`<ul>${lines.map((line) => `<li>${html(line)}</li>`).join('')}</ul>`] : []),
    ...(rows.length > 0 ? [`<table style="border-collapse:collapse">${rows.join('')}</table>`] : []),
    ...(links.length > 0 ? [`<p style="margin-top:20px">${links.map(buttonOf).join(' ')}</p>`] : []),
    '</body></html>',
    '',
  ].join('\n');
}

const buttonOf = ({ label, url }: NotificationLink): string =>
  `<a href="${html(url)}" style="display:inline-block;padding:8px 14px;border:1px solid #d0d5dd;border-radius:6px;` +
  `color:#175cd3;text-decoration:none">${html(label)}</a>`;
