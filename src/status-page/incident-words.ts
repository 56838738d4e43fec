import type { IncidentSeverity, IncidentStatus } from '../incident/incident-row';
import { readUrl } from '../platform/text/read-url';

// The public wording for incidents. The dashboard uses it to preview an incident before it is public.

/**
 * Returns a title such as `Login and 2 more are down`, using at least one name that the page shows. `isNow` is true if
 * at least one of them is still affected, so that no page says an endpoint is down when it is up.
 */
export function automaticTitle(severity: IncidentSeverity | null, all: readonly string[], isNow: boolean): string {
  const [first, second] = all;
  const count = all.length;
  const names = count === 1 ? first : count === 2 ? `${first} and ${second}` : `${first} and ${count - 1} more`;
  const verb = count === 1 ? (isNow ? 'is' : 'was') : isNow ? 'are' : 'were';
  return `${names} ${verb} ${severity ?? 'affected'}`;
}

/** The facts that determine the public status. `told` contains the public updates, newest first. */
interface Told {
  isOver: boolean;
  status: IncidentStatus | null;
  told: readonly { status: IncidentStatus | null }[];
}

/** Returns the last public status. Internal updates don't count, and a postmortem changes nothing. */
export function toldStatus({ isOver, status, told }: Told): IncidentStatus {
  if (isOver) return 'resolved';
  const last = told.find((update) => update.status !== null && update.status !== 'postmortem')?.status;
  return last ?? status ?? 'investigating';
}

const ADDRESS = /https?:\/\/[^\s<>"]+/g;
/** Punctuation that ends a sentence isn't part of a URL in that sentence. */
const SENTENCE_END = new Set(".,;:!?)]}'*_");
const CREDENTIALS = /^(https?:)[/\\]*[^/?#\\]*@/i;

/** A part of a text. It is a link if it has `href`, and plain text otherwise. */
export interface Piece {
  text: string;
  href: string | null;
}

/**
 * Splits a text into links and plain text. URLs that start with `http://` or `https://` become links. Credentials in a
 * URL (`user:password@`) are removed, because they are secrets, or they disguise the host of the link.
 */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutSentenceEnd(found);
    const url = readUrl(address);
    if (url === null) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), href: null });
    pieces.push(linkTo(url, address));
    from = index + address.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), href: null });
  return pieces;
}

/** Returns the text for programs, with the same content as `piecesOf` shows. */
export const publicText = (text: string): string =>
  text.includes('@')
    ? piecesOf(text)
        .map((piece) => piece.text)
        .join('')
    : text;

function withoutSentenceEnd(address: string): string {
  let end = address.length;
  while (SENTENCE_END.has(address.charAt(end - 1))) end--;
  return address.slice(0, end);
}

function linkTo(url: URL, written: string): Piece {
  if (url.username === '' && url.password === '') return { text: written, href: url.href };
  url.username = '';
  url.password = '';
  return { text: written.replace(CREDENTIALS, '$1//'), href: url.href };
}
