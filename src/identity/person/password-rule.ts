import { COMMON_LINES, COMMON_WORDS } from './common-passwords';

/**
 * NIST SP 800-63B-4 requires 15 characters if the password is the only factor. Characters are code points after NFKC.
 */
export const PASSWORD_LENGTH = { min: 15, max: 256 };

/** Words that a password must not be built from: public facts about the person and the installation. */
export interface KnownWords {
  email: string | null;
  name: string;
  /** The installation's hostname, or `null` without a public URL. */
  host: string | null;
}

/**
 * Returns the form that is hashed, so that the same password typed on two keyboards is equal. Never trims the password.
 */
export const normalizePassword = (typed: string): string => typed.normalize('NFKC');

/**
 * Returns the reason why a password of the right length is too weak, as a sentence for the user, or `null` if it is
 * strong enough.
 */
export function weaknessOf(password: string, known: KnownWords): string | null {
  const text = normalizePassword(password).toLowerCase();
  const head = headOf(text);
  const piece = repeatedPiece(text) ?? repeatedPiece(head);
  if (piece !== null) return `It only repeats “${piece}”, which is easy to guess.`;
  if (isRun(text) || isRun(head)) return 'It is a single run of keys, digits or letters, which is easy to guess.';
  const words = wordsOf(known);
  if (isMadeOf(text, words))
    return 'It consists only of your name, your address and the name of this installation. Choose words that no one connects with you.';
  const characters = new Set(text).size;
  if (characters < FEWEST_CHARACTERS) return `It has only ${characters} different characters. Add more.`;
  if (COMMON_LINES.has(lettersOf(head))) return 'It is a well-known phrase, which is easy to guess.';
  if ([...head].length < SHORTEST_HEAD)
    return `Apart from the digits at the end, it is “${head}”, which is short. A word with digits is easy to guess.`;
  if (whatItTakes(text, words) < LEAST)
    return 'It is little more than common words, runs of keys or repetitions. Add unrelated words.';
  return null;
}

/** The minimum number of different characters. With fewer, the password is a pattern in any order. */
const FEWEST_CHARACTERS = 6;
/** The minimum number of characters before the trailing digits, because one word followed by many digits is weak. */
const SHORTEST_HEAD = 10;
/** The minimum result of `whatItTakes`. Four common words are enough, but two words with digits are not. */
const LEAST = 8;
const COST_OF_COMMON_WORD = 2;

/** The maximum length of a repeated piece. A sentence that is typed twice is strong enough. */
const LONGEST_PIECE = 8;

function repeatedPiece(text: string): string | null {
  for (let length = 1; length <= LONGEST_PIECE && length < text.length; length++) {
    const piece = text.slice(0, length);
    if (text === piece.repeat(Math.ceil(text.length / length)).slice(0, text.length)) return piece;
  }
  return null;
}

/** Sequences of keyboard keys, digits, and letters. Each may wrap around and run backwards. */
const RUNS = [
  '1234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'qazwsxedcrfvtgbyhnujmikolp',
];
const TRACKS = RUNS.flatMap((run) => [run, [...run].reverse().join('')]);

/** Returns true if the whole string is part of such a sequence, which may wrap around at its end. */
const isRun = (text: string): boolean =>
  TRACKS.some((track) => track.repeat(Math.ceil(text.length / track.length) + 1).includes(text));

const PRODUCT = ['uptime', 'monitor', 'password', 'admin'];
const parts = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const lettersOf = (text: string): string => parts(text).join('');
/** Returns the index of the first trailing digit. */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && /\p{N}/u.test(text.charAt(end - 1))) end--;
  return end;
}

/**
 * Returns the password without its trailing digits and the symbols before them, or the whole password if nothing would
 * be left.
 */
function headOf(text: string): string {
  const end = endOf(text);
  let head = end;
  while (end < text.length && head > 0 && !/[\p{L}\p{N}\p{M}\p{S}]/u.test(text.charAt(head - 1))) head--;
  return head === 0 ? text : text.slice(0, head);
}

const wordsOf = ({ email, name, host }: KnownWords): string[] => [
  ...new Set([...parts(email ?? ''), ...parts(normalizePassword(name)), ...parts(host ?? ''), ...PRODUCT]),
];

/**
 * Returns true if the string is mostly letters and digits that can be split into the given words. Cost: the string's
 * length times the number of words.
 */
function isMadeOf(text: string, words: readonly string[]): boolean {
  const letters = lettersOf(text);
  if (letters.length * 2 < text.length) return false;
  const ends = new Set([0]);
  for (let at = 0; at < letters.length; at++) {
    if (!ends.has(at)) continue;
    for (const word of words) if (letters.startsWith(word, at)) ends.add(at + word.length);
  }
  return ends.has(letters.length);
}

/** Symbols that people use in place of letters. */
const SIGNS: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
};
const SHORTEST_RUN = 3;
const SHORTEST_COPY = 3;
/** Only this many characters of a longer password are evaluated. */
const LONGEST_JUDGED = 64;

/**
 * Returns the minimum number of characters to guess. A run of keys, a repeated piece, the trailing digits, and a word
 * known about the person each count as one. A common word counts as two. Cost: the square of 64 characters times the
 * number of words.
 */
function whatItTakes(text: string, known: readonly string[]): number {
  const words = [
    ...COMMON_WORDS.map((word) => [word, COST_OF_COMMON_WORD] as const),
    ...known.filter((word) => word.length > 1).map((word) => [word, 1] as const),
  ];
  const written = [...text].slice(0, LONGEST_JUDGED).join('');
  const meant = [...written].map((sign) => SIGNS[sign] ?? sign).join('');
  return Math.min(...[written, meant].map((one) => leastFor(one, words)));
}

function leastFor(text: string, words: readonly (readonly [word: string, cost: number])[]): number {
  const end = endOf(text);
  // The minimum for the part of the string before each position.
  const least = Array<number>(text.length + 1).fill(Infinity);
  least[0] = 0;
  const reach = (at: number, length: number, cost: number): void => {
    least[at + length] = Math.min(least[at + length] ?? Infinity, cost);
  };
  for (let at = 0; at < text.length; at++) {
    const cost = least[at] ?? Infinity;
    const character = text.charAt(at);
    const isLetter = /[\p{L}\p{N}]/u.test(character);
    reach(at, 1, cost + (isLetter || text.indexOf(character) === at ? 1 : 0));
    for (const [word, more] of words) if (text.startsWith(word, at)) reach(at, word.length, cost + more);
    for (let length = SHORTEST_RUN; isRun(text.slice(at, at + length)) && at + length <= text.length; length++)
      reach(at, length, cost + 1);
    for (
      let length = SHORTEST_COPY;
      at + length <= text.length && text.indexOf(text.slice(at, at + length)) < at;
      length++
    )
      reach(at, length, cost + 1);
    if (at === end && end > 0) reach(at, text.length - at, cost + 1);
  }
  return least[text.length] ?? 0;
}
