/** The literals between the wildcards in a Gatus pattern (`pat(…)`, which uses the syntax of Go's `filepath.Match`). */
export interface Glob {
  literals: string[];
  /** True if the literals fully describe the pattern: it is `*text*`, or it matches everything. */
  isExact: boolean;
  /** True if there is no wildcard. */
  isPlain: boolean;
}

interface Token {
  /** `null` for a wildcard. */
  literal: string | null;
  source: string;
}

const TOKEN = /\\(.)|\[\^?(?:\\.|[^\]\\])+\]|[*?]|[^[\\]/gsuy;

/** Returns `null` if Go couldn't parse the pattern. */
function tokens(pattern: string): Token[] | null {
  const found: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < pattern.length) {
    const match = TOKEN.exec(pattern);
    if (!match) return null;
    const [source, escaped] = match;
    const isWild = escaped === undefined && (source === '*' || source === '?' || source.length > 2 || source === '[');
    found.push({ literal: isWild ? null : (escaped ?? source), source });
  }
  return found;
}

export function readGlob(pattern: string): Glob | null {
  const all = tokens(pattern);
  if (all === null) return null;
  const literals: string[] = [];
  let isOpen = false;
  for (const { literal } of all) {
    if (literal === null) isOpen = false;
    else if (isOpen) literals.push((literals.pop() ?? '') + literal);
    else {
      literals.push(literal);
      isOpen = true;
    }
  }
  const onlyStars = all.every(({ literal, source }) => literal !== null || source === '*');
  const isWrapped = all[0]?.source === '*' && all.at(-1)?.source === '*';
  return {
    literals: [...new Set(literals)],
    isExact: onlyStars && isWrapped && literals.length <= 1,
    isPlain: all.every(({ literal }) => literal !== null),
  };
}

/** Returns a function that tests strings against a pattern, or `null` if the pattern is longer than 64 characters. */
export function globTest(pattern: string): ((text: string) => boolean) | null {
  const all = pattern.length > 64 ? null : tokens(pattern);
  if (all === null) return null;
  const source = all.map(({ literal, source: wild }) => {
    if (literal !== null) return literal.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    return wild === '*' ? '.*' : wild === '?' ? '.' : wild;
  });
  const expression = new RegExp(`^${source.join('').replace(/(?:\.\*)+/g, '.*')}$`, 's');
  return (text) => expression.test(text);
}
