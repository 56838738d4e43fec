import { Injectable } from '@nestjs/common';
import type { UpdateStatusPageDto } from '../../../status-page/settings/website-page.dto';
import type { NewWebsiteDto } from '../../../website/website.dto';
import type { Website } from '../../../website/website.entity';
import { WebsiteService } from '../../../website/website.service';
import type { DeclaredWebsite } from '../../document/document';
import type { Match } from '../matching';
import type { FieldChange, PlannedWebsite } from '../plan';
import { sentFields, WEBSITE_DEFAULTS } from '../sent-fields';
import { type Planning, planned } from './planning';

/** A page that is disabled and has no slug yet. */
const NO_PAGE = { enabled: false, slug: null };

/** Plans the changes to declared websites and their status pages. */
@Injectable()
export class WebsiteChanges {
  constructor(private readonly websites: WebsiteService) {}

  *plan(planning: Planning, matches: readonly Match<DeclaredWebsite, Website>[]): Iterable<PlannedWebsite[]> {
    const pages = new Map(planning.state.pages.map((page) => [page.website_id, page]));
    for (const match of matches) yield this.planOne(planning, match, pages.get(match.id) ?? NO_PAGE);
  }

  private planOne(
    planning: Planning,
    match: Match<DeclaredWebsite, Website>,
    stored: { enabled: boolean; slug: string | null },
  ): PlannedWebsite[] {
    const { declared, present, pointer } = match;
    const dto = sentFields(declared, ['endpoints', 'status_page'], WEBSITE_DEFAULTS) as unknown as NewWebsiteDto;
    const sides = planning.findings.attempt(pointer, () => this.websites.preview(present, dto));
    if (!sides) return [];
    const page = pageOf(declared, stored);
    const whole = planned(planning, { ...match, declared: { ...declared, endpoints: [] } }, sides, dto, page.changes);
    return [{ ...whole, page: page.dto }];
  }
}

/** If the document has no slug, the current one is kept. */
function pageOf(
  { status_page: sent }: DeclaredWebsite,
  stored: { enabled: boolean; slug: string | null },
): { dto: UpdateStatusPageDto | null; changes: FieldChange[] } {
  if (sent === undefined) return { dto: null, changes: [] };
  const before = { enabled: stored.enabled, slug: stored.slug };
  const after = { enabled: sent?.enabled ?? false, slug: sent?.slug ?? stored.slug };
  if (before.enabled === after.enabled && before.slug === after.slug) return { dto: null, changes: [] };
  const dto = { enabled: after.enabled, ...(sent?.slug !== undefined && { slug: sent.slug }) };
  return { dto, changes: [{ pointer: '/status_page', before, after }] };
}
