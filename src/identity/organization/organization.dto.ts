import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { IsName, Nested, Nullable, Optional, ReadOnlyField } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { type Role, ROLES } from '../../platform/access/permissions';
import { IsTimeZoneName } from '../../platform/time/time-zone.rule';
import type { QuotaName, QuotaOverrides } from '../quota/quotas';

export interface OrganizationRow {
  id: string;
  name: string;
  is_default: boolean;
  quotas: QuotaOverrides;
  requires_second_factor: boolean;
  timezone: string;
  created_at: Date;
  /** Set while the organization is being removed in steps. It is no longer visible to anyone. */
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
      'The limits of this organization. An absent limit keeps its value; `null` resets it to the limit of the installation.',
  })
  @Optional()
  @Nested(() => QuotaOverridesDto)
  quotas?: QuotaOverridesDto;
}

const TIMEZONE = {
  description: 'The IANA time zone of times in emails, and of the days and months in reports. UTC by default.',
  example: 'Europe/Berlin',
};

export class UpdateCurrentOrganizationDto {
  @ReadOnlyField() id?: unknown;
  @ReadOnlyField() name?: unknown;
  @ReadOnlyField() key_name?: unknown;
  @ReadOnlyField() person?: unknown;
  @ReadOnlyField() role?: unknown;
  @ReadOnlyField() quotas?: unknown;

  @ApiPropertyOptional({
    description:
      'Whether members who sign in with a password need a second factor. Until they have set one up, their sessions cannot access the organization. Does not apply to API keys or to sign-ins through a provider.',
    example: true,
  })
  @Optional()
  @IsBoolean()
  requires_second_factor?: boolean;

  @ApiPropertyOptional({ ...TIMEZONE, maxLength: 64 })
  @Optional()
  @IsTimeZoneName()
  timezone?: string;
}

export class OrganizationView {
  @ApiProperty({ example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Acme' })
  name!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description:
      'The limits that the operator has set for this organization. For all others, the limits of the installation apply.',
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

  @ApiProperty({ description: 'The key itself. Shown only this once.', example: 'ums_a_…' })
  key!: string;
}

export class CreatedOrganizationView extends OrganizationView {
  @ApiProperty({ type: FirstKeyView, description: 'The first admin key of the organization.' })
  api_key!: FirstKeyView;
}

export class QuotaUseView {
  @ApiProperty({ type: Number, nullable: true, description: 'The limit. `null`: no limit.', example: 10_000 })
  limit!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description:
      'The current usage. `null` if there is no single number: alerts are counted for each endpoint, and streams in each process.',
    example: 42,
  })
  used!: number | null;
}

const Use = (description: string): PropertyDecorator => ApiProperty({ type: QuotaUseView, description });

export class QuotasView implements Record<QuotaName, QuotaUseView> {
  @Use('Websites.') websites!: QuotaUseView;
  @Use('Endpoints.') endpoints!: QuotaUseView;
  @Use('Alerts.') alerts!: QuotaUseView;
  @Use('The number of alerts of one endpoint.') alerts_per_endpoint!: QuotaUseView;
  @Use('The sum of 1 / interval over all endpoints, including paused ones.') checks_per_second!: QuotaUseView;
  @Use('The number of API keys.') api_keys!: QuotaUseView;
  @Use('The number of public status pages, including disabled ones.') status_pages!: QuotaUseView;
  @Use('The number of members, including open invitations.') people!: QuotaUseView;
  @Use('The number of probes of the organization.') probes!: QuotaUseView;
  @Use('The number of live streams that are open at the same time in one process.') streams!: QuotaUseView;
  @Use(
    'The bytes that changes have added since 00:00 UTC to the audit log and to the history of maintenance windows. If you exceed the limit, changes get 429 `rate_limited` until the next day. Deleting, disabling, and acknowledging are still possible.',
  )
  changed_bytes_per_day!: QuotaUseView;
}

export class CallingPersonView {
  @ApiProperty({ example: 'per_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Ada' })
  name!: string;
}

/** The caller's organization, role, and key or person. */
export class CurrentOrganizationView {
  @ApiProperty({ example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Default' })
  name!: string;

  @ApiProperty({
    description: 'The name of the API key that sent the request, or of the user.',
    example: 'First admin key',
  })
  key_name!: string;

  @ApiProperty({
    type: CallingPersonView,
    nullable: true,
    description: 'The user who sent the request. null for a key.',
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

  @ApiProperty(TIMEZONE)
  timezone!: string;

  @ApiProperty({ type: QuotasView, description: 'The limits and the usage of the organization.' })
  quotas!: QuotasView;
}

export const toOrganizationView = (row: OrganizationRow): OrganizationView => ({
  id: formatId('organization', row.id),
  name: row.name,
  quotas: row.quotas,
  created_at: row.created_at.toISOString(),
});
