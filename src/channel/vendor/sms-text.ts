import { cut } from '../text-limits';

/** GSM 03.38: its basic characters take one place of a segment, the extended ones two. One other character forces UCS-2. */
const GSM_BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const GSM_EXTENDED = '^{}\\[~]|€\f';

const BASIC = new Set(GSM_BASIC);
const EXTENDED = new Set(GSM_EXTENDED);

/** Places of a lone message and of each segment of a longer one, by encoding. */
const GSM = { single: 160, segment: 153 };
const UCS2 = { single: 70, segment: 67 };

/** Each segment is billed: a page is short. */
export const MAX_SEGMENTS = 4;

const isGsm = (text: string): boolean =>
  Array.from(text).every((character) => BASIC.has(character) || EXTENDED.has(character));

/** How many segments the text is sent and billed as. */
export function segmentsOf(text: string): number {
  const gsm = isGsm(text);
  const places = gsm ? gsmPlaces(text) : text.length;
  const { single, segment } = gsm ? GSM : UCS2;
  return places <= single ? 1 : Math.ceil(places / segment);
}

const gsmPlaces = (text: string): number =>
  Array.from(text).reduce((sum, character) => sum + (EXTENDED.has(character) ? 2 : 1), 0);

/**
 * The text within `MAX_SEGMENTS`. Typographic characters are replaced by plain ones first, so that they alone do not
 * halve the room; the end of a cut text is marked with dots that every phone can show.
 */
export function smsText(text: string): string {
  const plain = text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/[–—]/g, '-').replaceAll('…', '...');
  if (segmentsOf(plain) <= MAX_SEGMENTS) return plain;
  let max = isGsm(plain) ? GSM.segment * MAX_SEGMENTS : UCS2.segment * MAX_SEGMENTS;
  while (segmentsOf(cut(plain, max, '...')) > MAX_SEGMENTS) max -= 1;
  return cut(plain, max, '...');
}
