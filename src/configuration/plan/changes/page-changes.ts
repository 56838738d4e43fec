import { Injectable } from '@nestjs/common';
import { formatId } from '../../../platform/ids/id';
import type { CreatePublicPageDto, PublicPageRow } from '../../../status-page/settings/public-page.dto';
import { PublicPageService } from '../../../status-page/settings/public-page.service';
import type { DeclaredStatusPage } from '../../document/document';
import type { Match } from '../matching';
import type { Planned } from '../plan';
import type { PresentPage } from '../state/present-state';
import type { References } from '../references';
import { PAGE_DEFAULTS, sentFields } from '../sent-fields';
import { noSuch } from './endpoint-changes';
import { type Planning, planned } from './planning';

const KINDS = [
  ['endpoint', 'endpoints'],
  ['website', 'websites'],
] as const;

@Injectable()
export class PageChanges {
  constructor(private readonly pages: PublicPageService) {}

  *plan(
    planning: Planning,
    matches: readonly Match<DeclaredStatusPage, PresentPage>[],
  ): Iterable<Planned<CreatePublicPageDto>[]> {
    for (const match of matches) yield this.planOne(planning, match);
  }

  private planOne(planning: Planning, match: Match<DeclaredStatusPage, PresentPage>): Planned<CreatePublicPageDto>[] {
    const { declared, present, pointer } = match;
    const { findings, references, caller, host } = planning;
    const groups = groupsOf(planning, declared, `${pointer}/groups`);
    if (!groups) return [];
    // If the document has no slug, the current one is kept.
    const without = declared.slug === null ? ['groups', 'slug'] : ['groups'];
    const dto = { ...sentFields(declared, without, PAGE_DEFAULTS), groups } as unknown as CreatePublicPageDto;
    const preview = findings.attempt(pointer, () =>
      this.pages.preview({ caller, host }, present && rowOf(present), dto),
    );
    if (!preview) return [];
    const sides = {
      before: preview.before && readable(preview.before, references),
      after: readable(preview.after, references),
    };
    return [planned(planning, match, sides, dto)];
  }
}

const rowOf = ({ externalKey, ...row }: PresentPage): PublicPageRow => ({ ...row, external_key: externalKey });

/** Replaces keys with IDs. Returns `null` if a resource doesn't exist, and adds this to the findings. */
function groupsOf({ findings, references }: Planning, { groups }: DeclaredStatusPage, at: string): object[] | null {
  let isComplete = true;
  const sent = groups.map((group, place) => {
    const whole: Record<string, unknown> = group.name === undefined ? {} : { name: group.name };
    for (const [kind, field] of KINDS) {
      const paths = group[field];
      if (paths === undefined) continue;
      whole[field] = paths.flatMap((path, index) => {
        const id = references.idOf(kind, path);
        if (id !== null) return [formatId(kind, id)];
        findings.add(noSuch(kind, path, `${at}/${place}/${field}/${index}`));
        isComplete = false;
        return [];
      });
    }
    return whole;
  });
  return isComplete ? sent : null;
}

/** Replaces IDs with key paths, in the page's order. */
function readable(view: object, references: References): object {
  const {
    groups,
    website_id: _,
    ...settings
  } = view as {
    groups: { name: string; endpoints: string[]; websites: string[] }[];
    website_id: unknown;
  };
  return {
    ...settings,
    groups: groups.map(({ name, endpoints, websites }) => ({
      name,
      endpoints: endpoints.map((id) => references.pathOfPublic('endpoint', id)),
      websites: websites.map((id) => references.pathOfPublic('website', id)),
    })),
  };
}
