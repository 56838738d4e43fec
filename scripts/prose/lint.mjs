// Finds texts that a native speaker of technical English would rewrite.
//
//   node scripts/prose/lint.mjs                     compares the hits of each area with budget.json, which may only fall
//   node scripts/prose/lint.mjs --list [area…] [path…]   prints every hit
//   node scripts/prose/lint.mjs --counts            prints words and hits of each area
//   node scripts/prose/lint.mjs --write-budget      writes a smaller budget
//   node scripts/prose/lint.mjs --control <folder>  counts the Markdown files of another project under the same rules
//
// If a hit is right where it is, give the reason in a comment on the same line or the line before: `prose: <reason>`.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TextlintKernel } from '@textlint/kernel';
import { LENGTH, OPENINGS, WORDS } from './rules.mjs';
import { documentArea, filesOf, textsOf } from './texts.mjs';

const require = createRequire(import.meta.url);
const BUDGET = 'scripts/prose/budget.json';
/** `env` is the comments in settings files, scripts, and manifests. `messages` is every other string in the server. */
const AREAS = 'api changelog cli comments decisions docs docstrings env logs messages metrics titles ui'.split(' ');
const ESCAPE = /\bprose: (.*?)(?:-->|\*\/|$)/;
const LEAST_REASON = 12;
const kernel = new TextlintKernel();
const moduleOf = (name) => {
  const loaded = require(name);
  return loaded.default ?? loaded;
};
const plugin = (name, extension) => ({
  pluginId: name,
  plugin: moduleOf(`@textlint/textlint-plugin-${name}`),
  options: { extensions: [extension] },
});
const PLUGINS = [plugin('markdown', '.md'), plugin('text', '.txt')];
const asPattern = (pattern) => `/${pattern.source}/${pattern.flags}`;

const rulesFor = (isDocument) => [
  {
    ruleId: 'words',
    rule: moduleOf('@textlint-rule/textlint-rule-pattern'),
    options: {
      patterns: WORDS.map(([name, pattern, instead]) => ({
        pattern: asPattern(pattern),
        message: `${name}: ${instead}`,
      })),
    },
  },
  {
    ruleId: 'sentences',
    rule: require('./sentence-rule.cjs'),
    options: {
      openings: OPENINGS.map(([name, pattern, instead]) => ({ name, pattern, instead })),
      ...(isDocument ? { length: LENGTH } : {}),
    },
  },
];

async function messagesOf(text, ext) {
  const { messages } = await kernel.lintText(text, { ext, plugins: PLUGINS, rules: rulesFor(ext === '.md') });
  return messages.map(({ message, loc, line }) => ({ line: loc?.start.line ?? line, message }));
}

const countWords = (text) => text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
const withoutCode = (text) => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`]*`/g, 'X');

/** Returns every hit `{area, file, line, message, text}` and the words in each area. */
export async function lintProse(root, paths = []) {
  const files = filesOf(root).filter(
    (file) => existsSync(join(root, file)) && (paths.length === 0 || paths.some((path) => file.startsWith(path))),
  );
  const words = {};
  const hits = [];
  const addWords = (area, text) => (words[area] = (words[area] ?? 0) + countWords(text));
  for (const file of files.filter((each) => documentArea(each) !== null)) {
    const area = documentArea(file);
    const text = readFileSync(join(root, file), 'utf8');
    addWords(area, withoutCode(text));
    const lines = text.split('\n');
    for (const { line, message } of await messagesOf(text, '.md'))
      hits.push({ area, file, line, message, text: lines[line - 1] ?? '' });
  }
  const byArea = Map.groupBy ? Map.groupBy(textsOf(root, files), ({ area }) => area) : groupBy(textsOf(root, files));
  for (const [area, texts] of byArea) {
    // Puts each text on one line, so that a message's line is the text's index in this list.
    for (const { text } of texts) addWords(area, text);
    const document = texts.map(({ text }) => text).join('\n');
    for (const { line, message } of await messagesOf(document, '.txt')) hits.push({ ...texts[line - 1], message });
  }
  const sources = new Map();
  const linesOf = (file) =>
    sources.get(file) ?? sources.set(file, readFileSync(join(root, file), 'utf8').split('\n')).get(file);
  const reasonAt = ({ file, line }) =>
    [line - 2, line - 1].flatMap((at) => ESCAPE.exec(linesOf(file)[at] ?? '')?.[1]?.trim() ?? [])[0];
  return { words, hits: hits.filter((hit) => (reasonAt(hit)?.length ?? 0) < LEAST_REASON) };
}

function groupBy(texts) {
  const groups = new Map();
  for (const text of texts) groups.set(text.area, [...(groups.get(text.area) ?? []), text]);
  return groups;
}

const countsOf = (hits) => {
  const counts = {};
  for (const { area } of hits) counts[area] = (counts[area] ?? 0) + 1;
  return counts;
};

async function control(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  let [words, count] = [0, 0];
  const names = {};
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '');
    words += countWords(withoutCode(text));
    for (const { message } of await messagesOf(text, '.md')) {
      count += 1;
      const [name = ''] = message.split(':');
      names[name.replace(/^\d+ words$/, 'long sentence')] =
        (names[name.replace(/^\d+ words$/, 'long sentence')] ?? 0) + 1;
    }
  }
  console.log(
    `${files.length} files, ${words} words, ${count} hits, ${((count / words) * 1000).toFixed(1)} per 1,000 words`,
  );
  for (const [name, hits] of Object.entries(names).sort(([, a], [, b]) => b - a)) console.log(`  ${name}: ${hits}`);
  return 0;
}

async function main(args) {
  if (args[0] === '--control') return control(args[1]);
  const flags = args.filter((arg) => arg.startsWith('--'));
  const given = args.filter((arg) => !arg.startsWith('--'));
  const isArea = (word) => AREAS.includes(word);
  const paths = flags.includes('--list') ? given.filter((word) => !isArea(word)) : [];
  const { words, hits } = await lintProse(process.cwd(), paths);
  const counts = countsOf(hits);
  const budget = existsSync(BUDGET) ? JSON.parse(readFileSync(BUDGET, 'utf8')) : {};
  if (flags.includes('--list')) {
    const areas = given.filter(isArea);
    for (const { area, file, line, message, text } of hits)
      if (areas.length === 0 || areas.includes(area))
        console.log(`${file}:${line}: [${area}] ${message} | ${text.trim().slice(0, 160)}`);
    return 0;
  }
  if (flags.includes('--counts'))
    for (const area of Object.keys(words).sort())
      console.log(
        `${area.padEnd(12)} ${String(words[area]).padStart(7)} words ${String(counts[area] ?? 0).padStart(5)} hits ${(((counts[area] ?? 0) / words[area]) * 1000).toFixed(1).padStart(5)} per 1,000`,
      );
  if (flags.includes('--write-budget')) {
    const next = Object.fromEntries(
      Object.keys(words)
        .sort()
        .map((area) => [area, counts[area] ?? 0]),
    );
    const risen = Object.entries(next).filter(([area, count]) => budget[area] !== undefined && count > budget[area]);
    if (risen.length > 0) throw new Error(`A budget only falls: ${risen.map(([area]) => area).join(', ')}`);
    writeFileSync(BUDGET, `${JSON.stringify(next, null, 2)}\n`);
    return 0;
  }
  let status = 0;
  for (const area of Object.keys(words).sort()) {
    const [count, allowed] = [counts[area] ?? 0, budget[area] ?? 0];
    if (count > allowed) {
      status = 1;
      console.log(
        `Prose: ${count} hits in ${area}, and the budget is ${allowed}. See them: node scripts/prose/lint.mjs --list ${area}`,
      );
    }
  }
  return status;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
