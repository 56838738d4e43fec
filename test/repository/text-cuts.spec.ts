import { readdirSync } from 'node:fs';
import ts from 'typescript';
import { join } from 'node:path';
import { readText, ROOT } from './project-files';

/**
 * PostgreSQL refuses half of a character (one unit of a surrogate pair) in JSON. Elsewhere, it becomes U+FFFD. So
 * text is cut only with `cut()`. The compiler's types would take a minute to separate texts from lists here, and
 * names are good enough.
 */
const TEXT_IS_CUT_BY = 'use cut() of platform/text/text-limits';

/** ASCII-only text, lists with a singular name, and text that is only compared. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  'src/alert/timeline/incident-timeline.service.ts': ['told.slice(0, MOST_ITEMS)'],
  'src/channel/kind/episode.ts': ['until.slice(0, 10)'],
  'src/checker/domain/rdap.ts': ['list.slice(0, MAX_EVENTS)'],
  'src/checker/http/digest.ts': ['header.slice(0, MAX_CHALLENGE)'],
  'src/report/shared/report-html.ts': ['month.slice(0, 4)', 'MONTHS[wall.getUTCMonth()]?.slice(0, 3)'],
  'src/status-page/render/page-parts.ts': ['text .slice(0, most * 4)'],
  'src/status-page/render/status-html.ts': ['open .slice(0, MAX_ONGOING)'],
  'src/checker/assertion/json-document.ts': ['written.slice(0, limit + 1)'],
  'src/checker/http/http-request.ts': ['url.protocol.slice(0, 30)'],
  'src/checker/http/cookie-jar.ts': ['token.slice(0, 3)'],
  'src/checker/http/redaction.ts': ['secret.slice(0, MIN_VALUE)'],
  'src/checker/icmp/ping-command-transport.ts': [
    "(output + chunk.toString('latin1')).slice(0, OUTPUT_LIMIT)",
    "stderr.trim().split('\\n')[0]?.slice(0, 100)",
  ],
  'src/configuration/document/keys.ts': ['slugFrom(name).slice(0, MOST)', 'slug.slice(0, MOST - tail.length)'],
  'src/configuration/plan/plan-findings.ts': ['found.slice(0, MAX_LISTED - all.length)'],
  'src/configuration/export/secret-names.ts': ['spelt.slice(0, KEPT)'],
  'src/configuration/plan/planner.ts': ['released(owner, state, matches).slice(0, MAX_RESOURCES)'],
  'src/channel/channel.registry.ts': ['type.slice(0, 20)'],
  'src/delivery/plan/batch-plan.ts': ['group.slice(0, DIGEST_NAMED)'],
  'src/endpoint/search/scope.ts': ['unknown.slice(0, MOST_NAMED)'],
  'src/checker/dns/dns-verdict.ts': ['unique.slice(0, LISTED_RECORDS)'],
  'src/identity/person/password-rule.ts': ['text.slice(0, length)'],
  'src/identity/single-sign-on/oidc-provider.ts': ['(one as unknown[]).slice(0, MOST_CAUSES)'],
  'src/monitoring/probes/intake/sent-results.ts': ['sent.slice(0, most)'],
  'src/platform/http/body/body-parts.ts': ['value.slice(0, maxItems + 1)'],
  'src/platform/http/request-id.ts': ['`${CHOSEN}${known.id}`.slice(0, MAX_RECORDED)'],
  'src/platform/net/dial/dialer.ts': ['interleave(addresses).slice(0, MAX_ATTEMPTS)'],
  'src/platform/net/egress/internal-name.ts': ["labels.join('').padEnd(32, '0').slice(0, 32)"],
  'src/platform/text/ends-in.ts': ['at.slice(0, 10)'],
  'src/status-page/render/times.ts': ['month.slice(0, 4)', 'MONTHS[Number(date.slice(5, 7)) - 1]?.slice(0, 3)'],
  'src/status-page/status-snapshot.ts': ['arranged(chosen, rows).slice(0, MAX_ENDPOINTS)'],
  'packages/cli/database/text-table.ts': ['time.slice(0, 16)'],
  'packages/cli/mcp/overview.ts': ['attention.slice(0, limit)'],
  'packages/cli/mcp/reference.ts': ['found.slice(0, MOST_NAMESAKES)'],
  // The client imports nothing. It shows the shortened text, and does not store it.
  'packages/client/layer/errors.ts': ["title.replaceAll(/\\s+/g, ' ').trim().slice(0, 200)"],
  'packages/convert/gatus/maintenance.ts': ["(DAYS[day] ?? '').slice(0, 3)"],
  'packages/convert/gatus/variables.ts': ['first.slice(0, MAX_SECRET_NAME - 8)'],
  'packages/convert/uptime-kuma/monitor/status-codes.ts': ['unread.slice(0, 5)'],
  'packages/testing/contract/resources/paging.ts': ["idsOf(await get('&limit=4')).slice(0, 3)"],
};

const LISTS =
  /^(map|filter|flatMap|sort|toSorted|reverse|toReversed|split|keys|values|entries|concat|from|of|matchAll)$/;
const ASCII = /^(digest|toISOString)$/;
/** Matches a replacement that reduces a text to ASCII, such as `[^a-z0-9]`. */
const ASCII_ONLY = /replace(All)?\(\/\[\^[\w .:/\\-]+\]\+?\/g, /;
const PLURAL = /([^s]s|ed|all|some|ing)$/;
const ASCII_NAMES = /^(iso|hex|uuid|startedAt|createdAt)$/;
const LIMITS = /^([A-Z][A-Z_0-9]*|(max|most|limit|longest)\w*|length|width)$/;

const nameOf = (node: ts.Node): string =>
  ts.isIdentifier(node) ? node.text : ts.isPropertyAccessExpression(node) ? node.name.text : '';

const isNamedLimit = (node: ts.Node): boolean => LIMITS.test(ts.isIdentifier(node) ? node.text : '');

/** Returns whether the number is a chosen limit and not a position found in the text. */
function isLimit(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node)) return isNamedLimit(node.left) || isNamedLimit(node.right);
  if (ts.isPropertyAccessExpression(node)) return /^(max|most|limit|longest)/.test(node.name.text);
  return ts.isNumericLiteral(node) || isNamedLimit(node);
}

function isListOrAscii(node: ts.Node): boolean {
  if (ts.isArrayLiteralExpression(node) || node.getText().endsWith('?? [])')) return true;
  if (ts.isCallExpression(node)) {
    const name = nameOf(node.expression);
    return LISTS.test(name) || ASCII.test(name) || ASCII_ONLY.test(node.getText());
  }
  const name = nameOf(node);
  return (PLURAL.test(name) && name !== 'address') || ASCII_NAMES.test(name);
}

/** Returns the places where a text is cut at a length, as written. */
function cutsIn(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [from, to] = node.arguments;
      const { name, expression } = node.expression;
      const isFromStart = name.text === 'slice' && from?.getText() === '0';
      if ((isFromStart || /^substr(ing)?$/.test(name.text)) && to && isLimit(to) && !isListOrAscii(expression))
        found.push(node.getText().replace(/\s+/g, ' '));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.ts', source, ts.ScriptTarget.ES2022, true));
  return found;
}

const files = ['src', 'packages']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((f) => `${folder}/${f}`),
  )
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && file !== 'src/platform/text/text-limits.ts');

describe('code that cuts text to a length', () => {
  it('cuts between characters, by one function', () => {
    const cuts = files.flatMap((file) => {
      const text = readText(file);
      if (!/\.(slice\(0|substr)/.test(text)) return [];
      return cutsIn(text)
        .filter((cut) => !(HARMLESS[file]?.includes(cut) ?? false))
        .map((cut) => `${file}: ${cut}, ${TEXT_IS_CUT_BY}`);
    });
    expect(cuts).toEqual([]);
  });

  it('is listed as harmless only if it still cuts', () => {
    const gone = Object.entries(HARMLESS).flatMap(([file, cuts]) => {
      const found = cutsIn(readText(file));
      return cuts.filter((cut) => !found.includes(cut)).map((cut) => `${file}: ${cut}`);
    });
    expect(gone).toEqual([]);
  });

  it.each([
    'const text = message.slice(0, MAX_MESSAGE);',
    'const text = `${title}: ${detail}`.slice(0, 300);',
    'const text = error.message.substring(0, MOST - 1);',
    'const text = view.address?.slice(0, maxLength);',
    'const text = `${name.slice(0, MOST - tail.length)}${tail}`;',
  ])('is found in %j', (source) => {
    expect(cutsIn(source)).toHaveLength(1);
  });

  it.each([
    'const some = names.slice(0, MAX_NAMES);',
    'const head = line.slice(0, colon);',
    "const slug = text.replace(/[^a-z0-9]+/g, '-').slice(0, 50);",
    "const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);",
  ])('is not found in %j', (source) => {
    expect(cutsIn(source)).toEqual([]);
  });
});
