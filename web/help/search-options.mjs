/** How the build creates the index of the help, and how the page searches it. Both must be the same. */
export const OPTIONS = {
  fields: ['title', 'heading', 'keywords', 'page', 'text'],
  storeFields: ['url', 'page', 'heading', 'part'],
  /** `DATABASE_URL` is found by its whole name and by its parts. */
  tokenize: (text) => {
    const words = text.split(/[^\p{L}\p{N}_$]+/u).filter(Boolean);
    return [...words, ...words.filter((word) => word.includes('_')).flatMap((word) => word.split('_'))].filter(Boolean);
  },
  /** Common words are left out: they are on every page. */
  processTerm: (term) => {
    const word = term.toLowerCase();
    return WORDS.has(word) ? null : stemOf(word);
  },
  searchOptions: {
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { title: 6, keywords: 6, heading: 3, page: 2 },
    weights: { fuzzy: 0.2, prefix: 0.4 },
    /** A guide is a better answer than a generated list of fields. */
    boostDocument: (_id, _term, fields) => PARTS[fields?.part] ?? 1,
  },
};

const PARTS = { Guides: 1.3, 'Get started': 1.2, Concepts: 1.1, Reference: 0.8 };
const WORDS = new Set(
  'a an and are as at be by can do for from how i if in is it me my not of on or so that the their this to up use we what when where which why will with you your'.split(
    ' ',
  ),
);

/** "monitoring" and "monitors" find "monitor". */
const stemOf = (word) => (word.length > 5 ? word.replace(/(?:ing|ed|es|s)$/, '') : word.length > 3 ? word.replace(/s$/, '') : word);
