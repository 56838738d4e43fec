import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { IsName, Nested, Nullable, Optional, ReadOnlyField } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { type Role, ROLES } from '../../platform/access/caller';
import type { QuotaName, QuotaOverrides } from '../quota/quotas';

export interface OrganizationRow {
  id: string;
  name: string;
  is_default: boolean;
  quotas: QuotaOverrides;
  requires_second_factor: boolean;
  created_at: Date;
  /** Set while it is being removed in steps. It is no longer visible to anyone. */
  deleted_at: Date | null;
}

export class CreateOrganizationDto {
  @ApiProperty({ example: 'Acme', minLength: 1, maxLength: 255 })
  @IsName(255)
  name!: string;
}

const Limit =
  (example: number, most = MOST): PropertyDecorator =>
  (target, name) => {
    const options = { type: Number, nullable: true, minimum: 0, maximum: most, example } as const;
    for (const decorate of [ApiPropertyOptional(options), Nullable(), IsInt(), Min(0), Max(most)])
      decorate(target, name);
  };
const MOST = 10_000_000;
const MOST_BYTES = 1_000_000_000_000;

export class QuotaOverridesDto implements Partial<Record<QuotaName, number | null>> {
  @Limit(2000) websites?: number | null;
  @Limit(20_000) endpoints?: number | null;
  @Limit(40_000) alerts?: number | null;
  @Limit(100) alerts_per_endpoint?: number | null;
  @Limit(1000) checks_per_second?: number | null;
  @Limit(200) api_keys?: number | null;
  @Limit(200) status_pages?: number | null;
  @Limit(200) people?: number | null;
  @Limit(40) probes?: number | null;
  @Limit(200) streams?: number | null;
  @Limit(268_435_456, MOST_BYTES) changed_bytes_per_day?: number | null;
}

export class UpdateOrganizationDto {
  @ReadOnlyField() id?: unknown;
  @ReadOnlyField() created_at?: unknown;

  @ApiPropertyOptional({ example: 'Acme', minLength: 1, maxLength: 255 })
  @Optional()
  @IsName(255)
  name?: string;

  @ApiPropertyOptional({
    description:
      'Limits of this organization. One that is absent stays as it is; `null` returns to the limit of the installation.',
  })
  @Optional()
  @Nested(() => QuotaOverridesDto)
  quotas?: QuotaOverridesDto;
}

export class UpdateCurrentOrganizationDto {
  @ReadOnlyField() id?: unknown;
  @ReadOnlyField() name?: unknown;
  @ReadOnlyField() key_name?: unknown;
  @ReadOnlyField() person?: unknown;
  @ReadOnlyField() role?: unknown;
  @ReadOnlyField() quotas?: unknown;

  @ApiPropertyOptional({
    description:
      'Whether members who sign in with a password need a second factor. The organization is closed to their sessions until they have set one up. Keys, and sign-ins with a provider, are not asked.',
    example: true,
  })
  @Optional()
  @IsBoolean()
  requires_second_factor?: boolean;
}

export class OrganizationView {
  @ApiProperty({ example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Acme' })
  name!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'The limits that the operator set for this organization; the others are those of the installation.',
    example: { endpoints: 20_000 },
  })
  quotas!: QuotaOverrides;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;
}

export class FirstKeyView {
  @ApiProperty({ example: 'key_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'First admin key' })
  name!: string;

  @ApiProperty({ enum: ROLES, example: 'admin' })
  role!: Role;

  @ApiProperty({ description: 'The key itself. Shown this one time.', example: 'ums_a_…' })
  key!: string;
}

export class CreatedOrganizationView extends OrganizationView {
  @ApiProperty({ type: FirstKeyView, description: 'The organization’s first admin key.' })
  api_key!: FirstKeyView;
}

export class QuotaUseView {
  @ApiProperty({ type: Number, nullable: true, description: '`null`: no limit.', example: 10_000 })
  limit!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: '`null` where there is no one number: alerts are counted for each endpoint, streams in each process.',
    example: 42,
  })
  used!: number | null;
}

const Use = (description: string): PropertyDecorator => ApiProperty({ type: QuotaUseView, description });

export class QuotasView implements Record<QuotaName, QuotaUseView> {
  @Use('Websites.') websites!: QuotaUseView;
  @Use('Endpoints.') endpoints!: QuotaUseView;
  @Use('Alerts.') alerts!: QuotaUseView;
  @Use('Alerts of one endpoint.') alerts_per_endpoint!: QuotaUseView;
  @Use('The sum of 1 / interval over all endpoints, paused ones included.') checks_per_second!: QuotaUseView;
  @Use('API keys.') api_keys!: QuotaUseView;
  @Use('Public status pages, disabled ones included.') status_pages!: QuotaUseView;
  @Use('People, open invitations included.') people!: QuotaUseView;
  @Use('Probes of its own.') probes!: QuotaUseView;
  @Use('Live streams open at once in one process.') streams!: QuotaUseView;
  @Use(
    'Bytes that changes have added since 00:00 UTC, in the audit log and in the history of maintenance windows. Beyond it changes are 429 `rate_limited` until the next day; deleting, disabling and acknowledging go on.',
  )
  changed_bytes_per_day!: QuotaUseView;
}

/** The person who sent the request. */
export class CallingPersonView {
  @ApiProperty({ example: 'per_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Ada' })
  name!: string;
}

/** The caller's organization, key or person, and role. */
export class CurrentOrganizationView {
  @ApiProperty({ example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Default' })
  name!: string;

  @ApiProperty({ description: 'Name of the API key that asks, or of the person.', example: 'First admin key' })
  key_name!: string;

  @ApiProperty({
    type: CallingPersonView,
    nullable: true,
    description: 'The person who asks; null for a key.',
    example: null,
  })
  person!: CallingPersonView | null;

  @ApiProperty({ enum: ROLES, example: 'admin' })
  role!: Role;

  @ApiProperty({
    description: 'Whether members who sign in with a password need a second factor.',
    example: false,
  })
  requires_second_factor!: boolean;

  @ApiProperty({ type: QuotasView, description: 'What the organization may have, and has.' })
  quotas!: QuotasView;
}

export const toOrganizationView = (row: OrganizationRow): OrganizationView => ({
  id: formatId('organization', row.id),
  name: row.name,
  quotas: row.quotas,
  created_at: row.created_at.toISOString(),
});
