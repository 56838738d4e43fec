import { publicText } from '../incident-words';
import type { StatusMaintenance } from '../page-maintenance';
import type { StatusSnapshot } from '../status-snapshot';
import { affected } from './maintenance-html';
import type { PagePaths } from './page-paths';

/** The maximum length of a line in bytes, without its line break. */
const LINE_BYTES = 75;

/** RFC 5545 requires at least one component, also while no maintenance is announced. */
const UTC_ZONE = [
  'BEGIN:VTIMEZONE',
  'TZID:Etc/UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE',
];

/**
 * Yields the announced maintenance of a page as an iCalendar document (RFC 5545), one event per occurrence. The IDs of
 * events don't change, and nothing depends on the time of rendering, so the ETag stays the same while nothing happens.
 */
export function* calendarFeed(
  { name, maintenance }: Pick<StatusSnapshot, 'name' | 'maintenance'>,
  absolute: PagePaths | null,
): Generator<string> {
  const head = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//uptime//status page//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escaped(`${name}: maintenance`)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...UTC_ZONE,
  ];
  yield folded(head);
  for (const work of maintenance) yield folded(eventOf(work, absolute));
  yield folded(['END:VCALENDAR']);
}

function eventOf(work: StatusMaintenance, absolute: PagePaths | null): string[] {
  const about = `Affects ${affected(work)}.`;
  const description = work.description === '' ? about : `${publicText(work.description)}\n\n${about}`;
  return [
    'BEGIN:VEVENT',
    `UID:${work.id}`,
    `DTSTAMP:${moment(work.updated_at)}`,
    `LAST-MODIFIED:${moment(work.updated_at)}`,
    `DTSTART:${moment(work.starts_at)}`,
    `DTEND:${moment(work.ends_at)}`,
    `SUMMARY:${escaped(`Maintenance: ${work.name}`)}`,
    `DESCRIPTION:${escaped(description)}`,
    ...(absolute === null ? [] : [`URL:${absolute.home}`]),
    'STATUS:CONFIRMED',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** `2026-11-29T02:00:00.000Z` → `20261129T020000Z`. */
const moment = (iso: string): string => `${iso.slice(0, 19).replace(/[-:]/g, '')}Z`;

/** Escapes a text value. Other control characters are not allowed and are left out. */
const escaped = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/[\\;,]/g, (character) => `\\${character}`)
    .replace(/\n/g, '\\n');

const folded = (lines: readonly string[]): string => lines.map((line) => `${fold(line)}\r\n`).join('');

/** Splits a long line between characters. All lines but the first start with a space. */
function fold(line: string): string {
  if (Buffer.byteLength(line) <= LINE_BYTES) return line;
  let [result, bytes] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > LINE_BYTES) {
      result += '\r\n ';
      bytes = 1;
    }
    result += character;
    bytes += size;
  }
  return result;
}
