import { Injectable } from '@nestjs/common';
import type { CreateMaintenanceWindowDto, MaintenanceScopeDto } from '../../../maintenance/maintenance-window.dto';
import { MaintenanceWindowService } from '../../../maintenance/maintenance-window.service';
import type { WindowRow } from '../../../maintenance/window-row';
import { formatId } from '../../../platform/ids/id';
import type { DeclaredWindow } from '../../document/document';
import type { Match } from '../matching';
import type { Planned } from '../plan';
import type { References } from '../references';
import { sentFields, WINDOW_DEFAULTS } from '../sent-fields';
import { noSuch } from './endpoint-changes';
import { type Planning, planned } from './planning';

const KINDS = [
  ['website', 'websites', 'website_ids'],
  ['endpoint', 'endpoints', 'endpoint_ids'],
] as const;

@Injectable()
export class WindowChanges {
  constructor(private readonly windows: MaintenanceWindowService) {}

  *plan(
    planning: Planning,
    matches: readonly Match<DeclaredWindow, WindowRow>[],
  ): Iterable<Planned<CreateMaintenanceWindowDto>[]> {
    for (const match of matches) yield this.planOne(planning, match);
  }

  private planOne(planning: Planning, match: Match<DeclaredWindow, WindowRow>): Planned<CreateMaintenanceWindowDto>[] {
    const { declared, present, pointer } = match;
    const { findings, references, caller } = planning;
    const scope = scopeOf(planning, declared, `${pointer}/scope`);
    if (!scope) return [];
    const dto = {
      ...sentFields(declared, ['scope'], WINDOW_DEFAULTS),
      scope,
    } as unknown as CreateMaintenanceWindowDto;
    const preview = findings.attempt(pointer, () => this.windows.previewOf(caller.orgId, present, dto));
    if (!preview) return [];
    const sides = {
      before: preview.before && readable(preview.before, references),
      after: readable(preview.after, references),
    };
    return [planned(planning, match, sides, dto)];
  }
}

/** Replaces keys with IDs. Returns `null` if a resource doesn't exist, and adds this to the findings. */
function scopeOf(
  { findings, references }: Planning,
  { scope }: DeclaredWindow,
  at: string,
): MaintenanceScopeDto | null {
  if ('all' in scope) return { all: scope.all };
  let isComplete = true;
  const sent: Record<string, unknown> = scope.tags === undefined ? {} : { tags: scope.tags };
  for (const [kind, field, name] of KINDS) {
    const paths = scope[field];
    if (paths === undefined) continue;
    sent[name] = paths.flatMap((path, index) => {
      const id = references.idOf(kind, path);
      if (id !== null) return [formatId(kind, id)];
      findings.add(noSuch(kind, path, `${at}/${field}/${index}`));
      isComplete = false;
      return [];
    });
  }
  return isComplete ? sent : null;
}

/** Replaces IDs with key paths. */
function readable(view: object, references: References): object {
  const { scope, ...settings } = view as { scope: Record<string, unknown> };
  const { website_ids, endpoint_ids, ...rest } = scope;
  return {
    ...settings,
    scope: {
      ...rest,
      ...(website_ids !== undefined && { websites: references.pathsOf('website', website_ids) }),
      ...(endpoint_ids !== undefined && { endpoints: references.pathsOf('endpoint', endpoint_ids) }),
    },
  };
}
