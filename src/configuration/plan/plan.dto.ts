import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { QueryBoolean } from '../../platform/http/page';
import { tagged } from '../../platform/http/precondition/entity-tags';
import { Optional } from '../../platform/http/validators';
import { formatId, type IdKind } from '../../platform/ids/id';
import { DECLARED_RESOURCES, type DeclaredResource, type Plan, type Planned } from './plan';
import type { PlanOfState } from './planner';

export class PlanQuery {
  @ApiPropertyOptional({
    default: false,
    description: 'Also delete the resources that the owner of the document declared earlier and no longer declares.',
    example: true,
  })
  @Optional()
  @QueryBoolean()
  prune?: boolean;

  @ApiPropertyOptional({
    default: false,
    description:
      'Also take over resources that another owner declares under the same keys, including their history. Requires the role `admin`.',
    example: true,
  })
  @Optional()
  @QueryBoolean()
  take_over?: boolean;
}

/** The schema for any setting. */
const ANY_JSON = [
  { type: 'string' },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'array', items: {} },
  { type: 'object', additionalProperties: true },
];

const ACTIONS = ['create', 'update', 'adopt', 'delete'] as const;
type ChangeAction = (typeof ACTIONS)[number];

export class ConfigurationSummaryView {
  @ApiProperty({ example: 1 })
  create!: number;

  @ApiProperty({ example: 1 })
  update!: number;

  @ApiProperty({ example: 0, description: 'Resources that already existed but had no key or no owner.' })
  adopt!: number;

  @ApiProperty({ example: 0 })
  delete!: number;

  @ApiProperty({ example: 12, description: 'Resources that already match the document. They are not changed.' })
  unchanged!: number;
}

export class ConfigurationFieldView {
  @ApiProperty({ example: '/interval', description: 'An RFC 6901 JSON pointer into the resource.' })
  pointer!: string;

  @ApiProperty({
    oneOf: ANY_JSON,
    nullable: true,
    example: 60,
    description:
      'The value as the audit log shows it: credentials are masked, and other resources are shown as key paths.',
  })
  before!: unknown;

  @ApiProperty({
    oneOf: ANY_JSON,
    nullable: true,
    example: 30,
    description: 'The new value. `(changed)` if masking hides the difference.',
  })
  after!: unknown;
}

export class ConfigurationChangeView {
  @ApiProperty({ enum: ACTIONS, example: 'update' })
  action!: ChangeAction;

  @ApiProperty({ enum: DECLARED_RESOURCES, example: 'endpoint' })
  resource!: DeclaredResource;

  @ApiProperty({ example: 'shop/front', description: 'The key path of the resource.' })
  key!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st',
    description: 'The ID of the resource. In a plan, null for a resource that is to be created.',
  })
  id!: string | null;

  @ApiProperty({
    type: [ConfigurationFieldView],
    description: 'The changed fields. For a new resource, the fields that the document declares.',
  })
  fields!: ConfigurationFieldView[];
}

export class ConfigurationNoteView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'shop',
    description: 'The key path of the resource that the note is about.',
  })
  key!: string | null;

  @ApiProperty({
    example: 'The history of 3 endpoints will be deleted: checks, outages and events since 2026-11-20.',
  })
  message!: string;
}

export class ConfigurationPlanView {
  @ApiProperty({ type: ConfigurationSummaryView })
  summary!: ConfigurationSummaryView;

  @ApiProperty({
    type: [ConfigurationChangeView],
    description: 'The changes. Parents come before their children, and deletions come last.',
  })
  changes!: ConfigurationChangeView[];

  @ApiProperty({ type: [ConfigurationNoteView], description: 'Notes to read before you apply the plan.' })
  notes!: ConfigurationNoteView[];
}

const ID_KINDS: Readonly<Record<DeclaredResource, IdKind>> = {
  contact: 'contact',
  probe: 'probe',
  website: 'website',
  endpoint: 'endpoint',
  alert: 'alert',
  status_page: 'statusPage',
  maintenance_window: 'maintenanceWindow',
};

/** The source of a plan's tag, which is compared with the `If-Match` of an apply. */
export const tagSource = ({ digest }: Pick<PlanOfState, 'digest'>) => ({ id: 'configuration', digest });

/** Returns the API view of a plan. `isDone` means that new resources have IDs. `digest` is the digest in the tag. */
export function toPlanView(plan: Plan, { digest, isDone }: { digest: string; isDone: boolean }): ConfigurationPlanView {
  const lists: readonly [DeclaredResource, readonly Planned<unknown>[]][] = [
    ['contact', plan.contacts],
    ['probe', plan.probes],
    ['website', plan.websites],
    ['endpoint', plan.endpoints],
    ['alert', plan.alerts],
    ['status_page', plan.pages],
    ['maintenance_window', plan.windows],
  ];
  const summary = { create: 0, update: 0, adopt: 0, delete: plan.deletions.length, unchanged: 0 };
  const changes: ConfigurationChangeView[] = [];
  for (const [resource, list] of lists) {
    for (const { action, path, id, fields } of list) {
      summary[action] += 1;
      if (action === 'unchanged') continue;
      const publicId = action === 'create' && !isDone ? null : formatId(ID_KINDS[resource], id);
      changes.push({ action, resource, key: path, id: publicId, fields: [...fields] });
    }
  }
  for (const { resource, path, id } of plan.released) {
    summary.update += 1;
    const fields = [{ pointer: '/owner', before: plan.owner, after: null }];
    changes.push({ action: 'update', resource, key: path, id: formatId(ID_KINDS[resource], id), fields });
  }
  for (const { resource, path, id } of plan.deletions)
    changes.push({ action: 'delete', resource, key: path, id: formatId(ID_KINDS[resource], id), fields: [] });
  return tagged({ summary, changes, notes: [...plan.notes] }, tagSource({ digest }));
}
