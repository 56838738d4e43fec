import { cut } from '../../platform/text/text-limits';
import type { NotificationLinks } from '../notification';

/** GSM 03.38: a basic character takes one unit of a segment, an extended one two. Any other character forces UCS-2. */
const GSM_BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const GSM_EXTENDED = '^{}\\[~]|€\f';

const BASIC = new Set(GSM_BASIC);
const EXTENDED = new Set(GSM_EXTENDED);

/** Units of a message of one segment and of each segment of a longer one, by encoding. */
const GSM = { single: 160, segment: 153 };
const UCS2 = { single: 70, segment: 67 };

/** Each segment is billed, so an SMS is kept short. */
export const MAX_SEGMENTS = 4;

const isGsm = (text: string): boolean =>
  Array.from(text).every((character) => BASIC.has(character) || EXTENDED.has(character));

/** How many segments the text is sent and billed as. */
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
 * The text within `MAX_SEGMENTS`. Typographic characters are replaced by plain ones first, because one of them would
 * halve the length of a segment; a cut text ends with dots that every phone can show.
 */
export function smsText(text: string): string {
  const plain = plainCharacters(text);
  if (segmentsOf(plain) <= MAX_SEGMENTS) return plain;
  let max = isGsm(plain) ? GSM.segment * MAX_SEGMENTS : UCS2.segment * MAX_SEGMENTS;
  while (segmentsOf(cut(plain, max, '...')) > MAX_SEGMENTS) max -= 1;
  return cut(plain, max, '...');
}

/**
 * A message of a sentence, further lines and at most one link. The link by which somebody takes the incident in hand is
 * worth a segment and stands whole; lines give way to it, the sentence does not. The one to the page only comes along where it costs
 * no further segment.
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
