// Every text that people read, by area: `{area, file, line, text}`. Markdown is linted as whole documents. Other texts
// are found in the syntax tree: comments, strings, and JSX. Code in backticks is excluded.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** Files from other programs, generated files, and records of quotes or measurements. */
const UNTOUCHED =
  /^(?:package-lock\.json|docs\/(?:openapi\.json|exports\/)|test\/fixtures\/|scripts\/prose\/|src\/platform\/database\/migrations\/)|\/golden\/|\.(?:svg|png|br|lock|tgz|sql)$/;

const MARKDOWN = [
  ['changelog', /^CHANGELOG\.md$/],
  ['decisions', /^docs\/decisions\//],
  ['docs', /\.md$/],
];

/** The names of properties whose strings are part of the API document. */
const API_TEXTS = new Set(['description', 'summary', 'title']);
const SQL =
  /\b(?:SELECT|INSERT INTO|UPDATE [a-z_]+ |DELETE FROM|CREATE (?:TABLE|INDEX|UNIQUE|FUNCTION)|ALTER TABLE|LEFT JOIN|ORDER BY|GROUP BY|FROM [a-z_]+ )/;
const CSS = /\{[a-z-]+:[^{}]+;/;

export function filesOf(root) {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 2 ** 26,
  })
    .toString()
    .trim()
    .split('\n')
    .filter((file) => !UNTOUCHED.test(file));
}

/** Returns the area for a file that is linted as a whole, or `null`. */
export const documentArea = (file) => MARKDOWN.find(([, pattern]) => pattern.test(file))?.[0] ?? null;

/** Removes code, links in docstrings, tags, and URLs. */
const readable = (text) =>
  text
    .replace(/`[^`]*`/g, 'X')
    .replace(/\{@\w+ [^}]*\}/g, 'X')
    .replace(/\bhttps?:\/\/\S+/g, 'X')
    .replace(/\s+/g, ' ')
    .trim();

function commentText(raw) {
  return raw
    .replace(/^\/\*\*?|\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\*(?!\/)|\/\/)\s?/, ''))
    .filter((line) => !/^\s*@(?:type|param|returns|lane|databases|alone|typedef)\b/.test(line))
    .join('\n');
}

/** Splits off lists and code, which are separate texts. */
const paragraphsOf = (text) => text.split(/\n\s*\n|\n(?=\s*(?:- |\d\. | {3,}))/).map(readable);

const isProse = (text) =>
  /[a-z]{2,} [a-z]+/i.test(text) && !SQL.test(text) && !/^[@./#][^ ]* /.test(text) && !CSS.test(text);

function areaOfString(file, node) {
  if (/(?:\.spec\.ts|^test\/|^packages\/testing\/)/.test(file)) {
    const call = ts.isCallExpression(node.parent) ? node.parent.expression.getText() : '';
    return /^(?:it|test|describe)(?:\.|$)/.test(call) ? 'titles' : null;
  }
  let property = null;
  for (let at = node.parent; at && property === null; at = at.parent) {
    if (ts.isJsxAttribute(at) && at.name.getText().startsWith('class')) return null;
    if (ts.isPropertyAssignment(at)) property = at.name.getText();
    if (ts.isCallExpression(at)) {
      if (/\blogger\.\w+$/.test(at.expression.getText())) return 'logs';
      break;
    }
  }
  if (property === 'help' && file.startsWith('src/')) return 'metrics';
  if (file.startsWith('web/')) return 'ui';
  if (file.startsWith('packages/cli/')) return 'cli';
  if (property !== null && API_TEXTS.has(property)) return 'api';
  return /^(?:src|packages)\//.test(file) ? 'messages' : null;
}

/** Returns a template as a reader sees it, with `X` for each value. */
function stringText(node) {
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map((span) => `X${span.literal.text}`).join('');
  return node.text;
}

const isExported = (node) => {
  for (let at = node; at; at = at.parent) {
    if (ts.canHaveModifiers(at) && ts.getModifiers(at)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword))
      return false;
    if (ts.canHaveModifiers(at) && ts.getModifiers(at)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
      return true;
    if (ts.isFunctionLike(at) && at !== node) return false;
  }
  return false;
};

/** Returns every text in a TypeScript or JavaScript source. */
export function textsOfSource(file, source) {
  const tree = ts.createSourceFile(
    file,
    source,
    ts.ScriptTarget.ES2022,
    true,
    file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const found = [];
  const lineAt = (position) => tree.getLineAndCharacterOfPosition(position).line + 1;
  const seen = new Set();
  const isTest = /(?:\.spec\.tsx?$|^test\/|^packages\/testing\/|^bench\/)/.test(file);

  function comments(node) {
    for (const { pos, end } of ts.getLeadingCommentRanges(source, node.getFullStart()) ?? [])
      addComment(pos, end, node);
    for (const { pos, end } of ts.getTrailingCommentRanges(source, node.getEnd()) ?? []) addComment(pos, end, node);
  }

  const blocks = [];
  function addComment(pos, end, node) {
    if (seen.has(pos)) return;
    seen.add(pos);
    const raw = source.slice(pos, end);
    const isDocstring = raw.startsWith('/**') && isExported(node) && !isTest;
    const line = lineAt(pos);
    const last = blocks.at(-1);
    // Adjacent line comments are one text.
    if (raw.startsWith('//') && last?.raw.startsWith('//') && last.until === line - 1) {
      last.raw += `\n${raw}`;
      last.until = line;
    } else blocks.push({ raw, line, until: lineAt(end), area: isDocstring ? 'docstrings' : 'comments' });
  }

  function visit(node) {
    // A comment before the first statement belongs to the statement.
    if (!ts.isSourceFile(node)) comments(node);
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)) {
      const area = areaOfString(file, node);
      if (area !== null) found.push({ area, line: lineAt(node.getStart()), text: stringText(node) });
      if (!ts.isTemplateExpression(node)) return;
    }
    if (ts.isJsxText(node) && file.startsWith('web/'))
      found.push({ area: 'ui', line: lineAt(node.getStart()), text: node.text });
    ts.forEachChild(node, visit);
  }
  visit(tree);
  comments(tree.endOfFileToken);
  for (const { raw, line, area } of blocks)
    for (const text of paragraphsOf(commentText(raw))) found.push({ area, line, text });
  return found
    .map(({ text, ...rest }) => ({ ...rest, file, text: readable(text) }))
    .filter(({ text }) => isProse(text));
}

/** Returns the comments in settings files, shell scripts, and manifests. */
export function textsOfSettings(file, source) {
  const found = [];
  let open = null;
  source.split('\n').forEach((row, index) => {
    const text = /^\s*#+(?!!) ?(.*)$/.exec(row)?.[1];
    if (text === undefined || text.trim() === '') open = null;
    else if (open === null) found.push((open = { area: 'env', file, line: index + 1, text }));
    else open.text += ` ${text}`;
  });
  return found.map((one) => ({ ...one, text: readable(one.text) })).filter(({ text }) => isProse(text));
}

/** Returns the texts in Prometheus alert rules and other YAML that people read: `summary:` and `description:`. */
const textsOfRules = (file, source) =>
  source.split('\n').flatMap((row, index) => {
    const text = /^\s*(?:summary|description): +['"]?(.+?)['"]?$/.exec(row)?.[1];
    return text === undefined ? [] : [{ area: 'metrics', file, line: index + 1, text: readable(text) }];
  });

/** Returns every text in the repository that isn't Markdown. */
export function textsOf(root, files) {
  return files.flatMap((file) => {
    if (/\.(?:ts|tsx|mjs|cjs|js)$/.test(file)) return textsOfSource(file, readFileSync(`${root}/${file}`, 'utf8'));
    if (/^\.env\.example$|^Dockerfile$|\.sh$|\.service$/.test(file))
      return textsOfSettings(file, readFileSync(`${root}/${file}`, 'utf8'));
    if (/\.ya?ml$/.test(file)) {
      const source = readFileSync(`${root}/${file}`, 'utf8');
      return [...textsOfSettings(file, source), ...textsOfRules(file, source)];
    }
    return [];
  });
}
