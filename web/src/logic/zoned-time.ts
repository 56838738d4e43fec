export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Zones that browsers list only under an old name. */
const RENAMED = [
  'America/Argentina/Buenos_Aires',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
];

/**
 * Returns all time zones that the browser knows, starting with its own. UTC and new names are included even if the
 * browser doesn't list them.
 */
export const zones = (): string[] => [
  ...new Set([OWN_ZONE, 'UTC', ...[...Intl.supportedValuesOf('timeZone'), ...RENAMED].sort()]),
];

/** Formats an instant in a time zone, such as `Sun, Mar 28, 2027, 03:00 GMT+2`. */
export const zonedTime = (iso: string, timeZone: string): string =>
  new Intl.DateTimeFormat(undefined, {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).format(new Date(iso));

/** Converts an instant to a `datetime-local` value in the browser's time zone. Empty if there is none. */
export function fieldOf(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * Converts a `datetime-local` value to an instant. An unchanged field keeps its seconds. Invalid text is returned
 * unchanged, and the service rejects it.
 */
export function instantOf(text: string, stored: string | null): string | null {
  if (text === fieldOf(stored)) return stored;
  const at = new Date(text);
  return text === '' ? null : Number.isNaN(at.getTime()) ? text : at.toISOString();
}
