import { cut } from '../../platform/text/text-limits';
import type { NotificationLinks } from '../notification';

/**
 * GSM 03.38: a basic character takes up one unit of a segment, and an extended one takes up two. Any other character
 * forces UCS-2.
 */
const GSM_BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const GSM_EXTENDED = '^{}\\[~]|€\f';

const BASIC = new Set(GSM_BASIC);
const EXTENDED = new Set(GSM_EXTENDED);

/** The number of units in a message of one segment, and in each segment of a longer message, by encoding. */
const GSM = { single: 160, segment: 153 };
const UCS2 = { single: 70, segment: 67 };

/** The maximum number of segments in an SMS. Each segment is billed. */
export const MAX_SEGMENTS = 4;

const isGsm = (text: string): boolean =>
  Array.from(text).every((character) => BASIC.has(character) || EXTENDED.has(character));

/** Returns the number of segments that the text needs. Each one is billed. */
export function segmentsOf(text: string): number {
  const gsm = isGsm(text);
  const units = gsm ? gsmUnits(text) : text.length;
  const { single, segment } = gsm ? GSM : UCS2;
  return units <= single ? 1 : Math.ceil(units / segment);
}

const plainCharacters = (text: string): string =>
  text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/[–—]/g, '-').replaceAll('…', '...');

const gsmUnits = (text: string): number =>
  Array.from(text).reduce((sum, character) => sum + (EXTENDED.has(character) ? 2 : 1), 0);

/**
 * Shortens the text to `MAX_SEGMENTS`. It first replaces typographic characters with plain ones, because a single
 * typographic character would halve the length of a segment. A truncated text ends with dots that every phone can show.
 */
export function smsText(text: string): string {
  const plain = plainCharacters(text);
  if (segmentsOf(plain) <= MAX_SEGMENTS) return plain;
  let max = isGsm(plain) ? GSM.segment * MAX_SEGMENTS : UCS2.segment * MAX_SEGMENTS;
  while (segmentsOf(cut(plain, max, '...')) > MAX_SEGMENTS) max -= 1;
  return cut(plain, max, '...');
}

/**
 * Returns a message with a sentence, more lines, and at most one link. The acknowledge link is worth a segment and is
 * never truncated. It displaces lines, but not the sentence. The link to the page is only added if it needs no
 * additional segment.
 */
export function smsBody(sentence: string, below: readonly string[], links: NotificationLinks | undefined): string {
  const plain = smsText([sentence, ...below].join('\n'));
  if (!links) return plain;
  const { acknowledge, page } = links;
  const full = [sentence, ...below, acknowledge ?? page].join('\n');
  const candidates = acknowledge === null ? [full] : [full, `${sentence}\n${acknowledge}`];
  const most = acknowledge === null ? segmentsOf(plain) : MAX_SEGMENTS;
  return candidates.map(plainCharacters).find((text) => segmentsOf(text) <= most) ?? plain;
}
