const day = (iso: string): string => iso.slice(0, 10);
const minute = (iso: string): string => iso.slice(11, 16);

/** Formats a time as `2026-11-24 02:00 UTC`. */
export const utc = (iso: string): string => `${day(iso)} ${minute(iso)} UTC`;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Returns `November 2026` for a month such as `2026-11`. */
export const monthName = (month: string): string => `${MONTHS[Number(month.slice(5)) - 1] ?? ''} ${month.slice(0, 4)}`;

/** Returns `24 Nov` for a date such as `2026-11-24`. */
export const dayOfMonth = (date: string): string =>
  `${Number(date.slice(8))} ${MONTHS[Number(date.slice(5, 7)) - 1]?.slice(0, 3) ?? ''}`;

/** Returns `2026-11-24 02:00 to 04:00 UTC`, with the second date if it differs. */
export const utcRange = (from: string, until: string): string =>
  `${day(from)} ${minute(from)} to ${day(from) === day(until) ? '' : `${day(until)} `}${minute(until)} UTC`;

/** Renders a time that the page's script converts to the reader's time zone. */
export const stamp = (iso: string): string => `<time datetime="${iso}">${utc(iso)}</time>`;

/** Renders a time range that the page's script converts to the reader's time zone. */
export const range = (from: string, until: string): string =>
  `<time datetime="${from}" data-until="${until}">${utcRange(from, until)}</time>`;
