import type { Options } from 'minisearch';

/** Guides are better answers than generated lists of fields. */
const PARTS: Readonly<Record<string, number>> = { Guides: 1.3, 'Get started': 1.2, Concepts: 1.1, Reference: 0.8 };

/** They are on every page, so they say nothing about what someone looks for. */
const COMMON = new Set(
  'a an and are as at be by can did do for from get how i if in is it me my not of on or so that the their this to up use we what when where which why will with you your'.split(
    ' ',
  ),
);

/** "monitoring" and "monitors" find "monitor". */
function stemOf(word: string): string {
  if (word.length > 5) return word.replace(/(?:ing|ed|es|s)$/, '');
  return word.length > 3 ? word.replace(/s$/, '') : word;
}

/** `DATABASE_URL` is found by its whole name and by its parts. */
function wordsIn(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}_$]+/u);
  const parts = words.filter((word) => word.includes('_')).flatMap((word) => word.split('_'));
  return [...words, ...parts].filter((word) => word !== '');
}

/** How the build creates the index of the help, and how the page searches it. Both must be the same. */
export const OPTIONS: Options = {
  fields: ['title', 'heading', 'keywords', 'page', 'text'],
  storeFields: ['url', 'page', 'heading', 'part'],
  tokenize: wordsIn,
  processTerm: (term) => {
    const word = term.toLowerCase();
    return COMMON.has(word) ? null : stemOf(word);
  },
  searchOptions: {
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { title: 6, keywords: 6, heading: 3, page: 2 },
    weights: { fuzzy: 0.2, prefix: 0.4 },
    boostDocument: (_id, _term, stored) => PARTS[String(stored?.['part'])] ?? 1,
  },
};
