/** The browser's time zone. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Zones that browsers list by a former name only. */
const RENAMED = [
  'America/Argentina/Buenos_Aires',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
];

/** Every zone that the browser knows, its own first; UTC and new names also where its list leaves them out. */
export const zones = (): string[] => [
  ...new Set([OWN_ZONE, 'UTC', ...[...Intl.supportedValuesOf('timeZone'), ...RENAMED].sort()]),
];

/** `Sun, Mar 28, 2027, 03:00 GMT+2`: an instant on the clocks of a zone. */
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

/** An instant as a `datetime-local` field shows it in the browser's zone; empty for none. */
export function fieldOf(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The instant of such a field. One that was not touched keeps its seconds; what is no time stays, for the service to refuse. */
export function instantOf(text: string, stored: string | null): string | null {
  if (text === fieldOf(stored)) return stored;
  const at = new Date(text);
  return text === '' ? null : Number.isNaN(at.getTime()) ? text : at.toISOString();
}
