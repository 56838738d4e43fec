/** NIST SP 800-63B-4 asks for 15 where the password is alone; characters are code points after NFKC. */
export const PASSWORD_LENGTH = { min: 15, max: 256 };

/** What a password must not consist of: what everybody knows of the person and the place. */
export interface KnownWords {
  email: string | null;
  name: string;
  /** Of the installation; `null` where it has no address of its own. */
  host: string | null;
}

/** The form in which a password is hashed: what two keyboards type alike is the same password. Never trimmed. */
export const normalizePassword = (typed: string): string => typed.normalize('NFKC');

/** Why a password of the right length is too weak, as a sentence to its owner; `null`: it is not. */
export function weaknessOf(password: string, known: KnownWords): string | null {
  const text = normalizePassword(password).toLowerCase();
  const piece = repeatedPiece(text);
  if (piece !== null) return `It is “${piece}” again and again: anybody who tries patterns finds it.`;
  if (isRun(text)) return 'It is one run of keys, digits or letters: it is among the first that are tried.';
  if (isMadeOf(text, wordsOf(known)))
    return 'It is nothing but your name, your address and the name of this place: choose words that nobody connects with you.';
  return null;
}

/** Pieces that are repeated have at most so many characters: a sentence typed twice is long enough. */
const LONGEST_PIECE = 8;

function repeatedPiece(text: string): string | null {
  for (let length = 1; length <= LONGEST_PIECE; length++) {
    const piece = text.slice(0, length);
    if (text === piece.repeat(Math.ceil(text.length / length)).slice(0, text.length)) return piece;
  }
  return null;
}

/** Rows of keyboards, digits and the alphabet; each goes round and backwards. */
const RUNS = [
  '1234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
  'qazwsxedcrfvtgbyhnujmikolp',
];
const TRACKS = RUNS.flatMap((run) => [run, [...run].reverse().join('')]);

/** All of it is one piece of such a row, going round where the row ends. */
const isRun = (text: string): boolean =>
  TRACKS.some((track) => track.repeat(Math.ceil(text.length / track.length) + 1).includes(text));

const PRODUCT = ['uptime', 'monitor', 'password', 'admin'];
const parts = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const wordsOf = ({ email, name, host }: KnownWords): string[] => [
  ...new Set([...parts(email ?? ''), ...parts(normalizePassword(name)), ...parts(host ?? ''), ...PRODUCT]),
];

/** Its letters and digits are a row of these words, in any order and number. Work: its length times the words. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  const letters = parts(text).join('');
  if (letters === '') return true;
  const ends = new Set([0]);
  for (let at = 0; at < letters.length; at++) {
    if (!ends.has(at)) continue;
    for (const word of words) if (letters.startsWith(word, at)) ends.add(at + word.length);
  }
  return ends.has(letters.length);
}
