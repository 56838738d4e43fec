// node scripts/retired-words.mjs [--lines] [path…]: where words stand that docs/architecture.md has retired, by word or line by
// line. Reads the files that git knows below this folder. Exits 1 when there are any.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LIST = fileURLToPath(new URL('../test/repository/retired-words.json', import.meta.url));
/** Written once and kept as they were, or made by a tool. */
const UNTOUCHED =
  /^(package-lock\.json|docs\/openapi\.json|docs\/exports\/|CHANGELOG\.md|docs\/decisions\/|docs\/architecture\.md|test\/repository\/retired-words|scripts\/retired-words|src\/platform\/database\/migrations\/)|\.(tgz|png|svg|lock)$/;

/** Metric help and what the API document says are public: they stay as they are, whatever words they use. */
const isPublicText = (document, text) =>
  /^\s*help: /.test(text) ||
  [...text.matchAll(/'((?:[^'\\]|\\.){8,})'/g)].some(([, quoted]) => document.includes(quoted.trim()));

/** Every hit in the files of `root` that start with one of `paths` (all without any). */
export function retiredWords(root, paths = []) {
  const words = JSON.parse(readFileSync(LIST, 'utf8')).map((entry) => ({
    ...entry,
    pattern: new RegExp(entry.pattern, entry.flags ?? 'g'),
    only: entry.only && new RegExp(entry.only),
    except: (entry.except ?? []).map((text) => new RegExp(text)),
  }));
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
    .toString()
    .trim()
    .split('\n')
    .filter((file) => !UNTOUCHED.test(file) && (paths.length === 0 || paths.some((path) => file.startsWith(path))));
  const document = readFileSync(`${root}/docs/openapi.json`, 'utf8');
  const hits = [];
  for (const file of files) {
    let lines;
    try {
      lines = readFileSync(`${root}/${file}`, 'utf8').split('\n');
    } catch {
      continue;
    }
    for (const { word, instead, pattern, only, except } of words) {
      if ((only && !only.test(file)) || except.some((exception) => exception.test(file))) continue;
      lines.forEach((text, index) => {
        const found = [...text.matchAll(pattern)];
        if (found.length === 0 || isPublicText(document, text)) return;
        for (const [match] of found) hits.push({ word, instead, file, line: index + 1, found: match, text });
      });
    }
  }
  return hits;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const hits = retiredWords(
    process.cwd(),
    args.filter((word) => word !== '--lines'),
  );
  if (args.includes('--lines'))
    for (const { file, line, found, instead, text } of hits)
      console.log(`${file}:${line}: "${found}" → ${instead}: ${text.trim().slice(0, 120)}`);
  const counts = new Map();
  for (const { word } of hits) counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const [word, count] of counts) console.log(`${String(count).padStart(5)}  ${word}`);
  console.log(`${hits.length} in all`);
  process.exit(hits.length > 0 ? 1 : 0);
}
