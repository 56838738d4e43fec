import { cut, oneLine } from '../../../src/platform/text/text-limits';
import { SLUG } from '../../../src/status-page/settings/page-rules';
import type { DeclaredStatusPage } from '../../../src/configuration/document/document';
import type { ReportEntry } from '../conversion';
import { keyFrom } from '../../../src/configuration/document/keys';
import { entryOf } from './contacts';
import { nameOf } from './monitor/endpoint';
import type { Relations } from './file/relations';
import type { Row } from './file/row';
import type { Placed, Websites } from './websites';

const MAX_DESCRIPTION = 2000;
const MAX_GROUPS = 50;
const MAX_GROUP_NAME = 100;
const MAX_LISTED = 100;

/** The resources that pages refer to. */
export interface PageContext {
  relations: Relations;
  websites: Websites;
  placed: ReadonlyMap<string, Placed>;
}

/** Converts each status page with its groups, or skips it with a reason. */
export function statusPagesOf(
  pages: readonly Row[],
  groups: readonly Row[],
  context: PageContext,
): { declared: DeclaredStatusPage[]; report: ReportEntry[] } {
  const [keys, declared, report] = [new Set<string>(), [] as DeclaredStatusPage[], [] as ReportEntry[]];
  for (const page of pages) {
    if (page.text('password') !== '') {
      const why = 'it requires a password, but status pages are always public';
      report.push({ at: page.at, name: page.name, result: 'skipped', why });
      continue;
    }
    const differences: string[] = [];
    const [{ name: title }, slug] = [nameOf(page), page.text('slug').toLowerCase()];
    const own = groups
      .filter((group) => group.text('status_page_id') === page.id)
      .toSorted((one, other) => (one.number('weight') ?? 0) - (other.number('weight') ?? 0));
    const filled = own.map((group) => groupOf(group, context, differences)).filter(isFilled);
    const shown = filled.slice(0, MAX_GROUPS);
    if (filled.length < own.length) differences.push('groups without content are left out');
    if (filled.length > MAX_GROUPS) differences.push(`only ${MAX_GROUPS} of its groups are kept`);
    const description = oneLine(page.text('description'));
    if (!SLUG.test(slug)) differences.push(`its slug "${slug}" cannot be kept`);
    for (const [field, what] of Object.entries(LOST)) if (page.text(field).trim() !== '') differences.push(what);
    declared.push({
      key: keyFrom(slug || title, keys),
      title,
      ...(SLUG.test(slug) ? { slug } : {}),
      ...(description === '' ? {} : { description: cut(description, MAX_DESCRIPTION) }),
      enabled: !page.has('published') || page.flag('published'),
      groups: shown,
    });
    report.push(entryOf(page, differences));
  }
  return { declared, report };
}

const isFilled = ({ endpoints, websites }: DeclaredStatusPage['groups'][number]): boolean =>
  endpoints !== undefined || websites !== undefined;

const LOST: Readonly<Record<string, string>> = {
  custom_css: 'its CSS is left out',
  footer_text: 'its footer is left out',
  analytics_id: 'no analytics data is sent',
  google_analytics_tag_id: 'no analytics data is sent',
};

function groupOf(
  group: Row,
  { relations, websites, placed }: PageContext,
  differences: string[],
): DeclaredStatusPage['groups'][number] {
  const ids = relations.monitorsOfPageGroup(group);
  const endpoints = [...new Set(ids.flatMap((id) => placed.get(id)?.path ?? []))];
  const keys = [...new Set(ids.flatMap((id) => websites.find(id)?.key ?? []))];
  const lost = ids.filter((id) => !placed.has(id) && websites.find(id) === null).length;
  if (lost > 0)
    differences.push(`${lost} of the ${ids.length} monitors of its group "${group.name}" are not converted`);
  if (endpoints.length > MAX_LISTED || keys.length > MAX_LISTED)
    differences.push(`a group can show at most ${MAX_LISTED} endpoints and ${MAX_LISTED} websites`);
  return {
    name: nameOf(group, MAX_GROUP_NAME).name,
    ...(endpoints.length > 0 ? { endpoints: endpoints.slice(0, MAX_LISTED) } : {}),
    ...(keys.length > 0 ? { websites: keys.slice(0, MAX_LISTED) } : {}),
  };
}
