import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import {
  EndpointScopeDto,
  PartialScopeView,
  SHOWN_SCOPE,
  toScopeView,
  WholeScopeView,
} from '../endpoint/search/scope.dto';
import { QueryInteger, ShortPageQuery } from '../platform/http/page';
import {
  IsName,
  IsTimestamp,
  Nested,
  Nullable,
  Optional,
  PartialOf,
  QueryTimestamp,
  ReadOnlyFieldsOf,
} from '../platform/http/validators';
import { formatId } from '../platform/ids/id';
import { IsPublicId } from '../platform/ids/public-id.rule';
import { KeyField, ShownKey, ShownOwner } from '../platform/http/body/resource-key';
import type { Span } from './window-times';
import { MAX_DURATION_SECONDS, MIN_DURATION_SECONDS } from './window-rules';
import { currentOf, type WindowRow } from './window-row';

const MAX_OCCURRENCES = 100;
const DEFAULT_OCCURRENCES = 20;
/** The years for which time zone offsets are known. Occurrences are shown with years of four digits. */
const FROM_BOUNDS = { first: new Date('1970-01-01T00:00:00Z'), last: new Date('9900-01-01T00:00:00Z') };

const WINDOW_ID = 'mw_01jd3k6q7be5y9x4v2m8n0r1st';
const WEBSITE_ID = 'ws_01jd3k6q7be5y9x4v2m8n0r1st';
const ENDPOINT_ID = 'ep_01jd3k6q7be5y9x4v2m8n0r1st';

const TEXTS = {
  name: { description: 'What is done.', example: 'Weekly patches', minLength: 1, maxLength: 255 },
  description: { description: 'Shown on status pages.', example: 'We update our servers.', maxLength: 1000 },
  scope:
    'What the window covers: everything, or all that any of the lists names. What comes later is covered from its next result.',
  startsAt:
    'Of a one-off window its start, at most 5 minutes ago. Of a recurring one optional: no occurrence begins before.',
  endsAt:
    'Of a one-off window its end, at most 90 days after its start. Of a recurring one optional: the end of everything.',
  cron: {
    description:
      'Five fields of cron by the wall clock in `timezone`, with `L` and `SUN#2`. They mean what Debian’s cron does with them. If a field of days begins with `*`, both must match, otherwise either is enough. When the clock changes, fixed times start once: a skipped one at the change, a repeated one the first time. Minutes or hours that begin with `*` follow the new time.',
    example: '0 2 * * SUN',
    maxLength: 100,
  },
  timezone: { description: 'Of the IANA database.', example: 'Europe/Berlin', maxLength: 64 },
  duration: {
    description:
      'Seconds that pass from each start, whatever clocks are set to; less than the shortest pause between two starts.',
    example: 7200,
    minimum: MIN_DURATION_SECONDS,
    maximum: MAX_DURATION_SECONDS,
  },
  mute: { description: 'Alerts of what is covered do not trigger; they resolve.', default: true },
  exclude: { description: 'Checks are marked `planned` and count neither as up nor as down.', default: true },
  public: { description: 'Shown on status pages that show something it covers.', default: true },
};

/** The class name is part of the public API document. */
export class MaintenanceScopeDto extends EndpointScopeDto {}

export const WINDOW_STATUSES = ['scheduled', 'active', 'ended'] as const;
export type WindowStatus = (typeof WINDOW_STATUSES)[number];

export class MaintenanceOccurrenceView {
  @ApiProperty({ type: String, format: 'date-time', example: '2027-03-28T01:00:00.000Z' })
  starts_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2027-03-28T03:00:00.000Z' })
  ends_at!: string;
}

@ApiExtraModels(WholeScopeView, PartialScopeView)
export class MaintenanceWindowView {
  @ApiProperty({ example: WINDOW_ID })
  id!: string;

  @ApiProperty(TEXTS.name)
  name!: string;

  @ApiProperty(TEXTS.description)
  description!: string;

  @ApiProperty({ ...SHOWN_SCOPE, description: 'What it covers.' })
  scope!: WholeScopeView | PartialScopeView;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: TEXTS.startsAt, example: null })
  starts_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: TEXTS.endsAt, example: null })
  ends_at!: string | null;

  @ApiProperty({ ...TEXTS.cron, type: String, nullable: true })
  cron!: string | null;

  @ApiProperty({ ...TEXTS.timezone, type: String, nullable: true })
  timezone!: string | null;

  @ApiProperty({ ...TEXTS.duration, type: 'integer', nullable: true })
  duration!: number | null;

  @ApiProperty(TEXTS.mute)
  mute!: boolean;

  @ApiProperty(TEXTS.exclude)
  exclude_from_uptime!: boolean;

  @ApiProperty(TEXTS.public)
  public!: boolean;

  @ShownKey('the maintenance windows of the organization', 'patching')
  key!: string | null;

  @ShownOwner()
  owner!: string | null;

  @ApiProperty({
    enum: WINDOW_STATUSES,
    description: '`active`: an occurrence runs. `scheduled`: one will. `ended`: no more will.',
    example: 'scheduled',
  })
  status!: WindowStatus;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The end of the occurrence that runs.',
    example: null,
  })
  active_until!: string | null;

  @ApiProperty({ type: () => [MaintenanceOccurrenceView], description: 'The next three that have not begun.' })
  next!: MaintenanceOccurrenceView[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the person or API key; null without one.',
    example: 'Deployment',
  })
  created_by!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  updated_at!: string;
}

@ReadOnlyFieldsOf(MaintenanceWindowView)
export class CreateMaintenanceWindowDto {
  @ApiPropertyOptional({ ...TEXTS.description, default: '' })
  @Optional()
  @IsString()
  @MaxLength(1000)
  description?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', nullable: true, description: TEXTS.startsAt })
  @Nullable()
  @IsTimestamp()
  starts_at?: string | null;

  @ApiPropertyOptional({ type: String, format: 'date-time', nullable: true, description: TEXTS.endsAt })
  @Nullable()
  @IsTimestamp()
  ends_at?: string | null;

  @ApiPropertyOptional({ ...TEXTS.cron, type: String, nullable: true })
  @Nullable()
  @IsString()
  @MaxLength(100)
  cron?: string | null;

  @ApiPropertyOptional({ ...TEXTS.timezone, type: String, nullable: true })
  @Nullable()
  @IsString()
  @MaxLength(64)
  timezone?: string | null;

  @ApiPropertyOptional({ ...TEXTS.duration, type: 'integer', nullable: true })
  @Nullable()
  @IsInt()
  @Min(MIN_DURATION_SECONDS)
  @Max(MAX_DURATION_SECONDS)
  duration?: number | null;

  @ApiPropertyOptional(TEXTS.mute)
  @Optional()
  @IsBoolean()
  mute?: boolean;

  @ApiPropertyOptional(TEXTS.exclude)
  @Optional()
  @IsBoolean()
  exclude_from_uptime?: boolean;

  @ApiPropertyOptional(TEXTS.public)
  @Optional()
  @IsBoolean()
  public?: boolean;

  @KeyField('the maintenance windows of the organization')
  key?: string | null;

  @ApiProperty(TEXTS.name)
  @IsName(255)
  name!: string;

  @ApiProperty({ description: TEXTS.scope })
  @Nested(() => MaintenanceScopeDto)
  scope!: MaintenanceScopeDto;
}

/** All fields are optional, and only the sent ones change. */
export class UpdateMaintenanceWindowDto extends PartialOf(CreateMaintenanceWindowDto) {
  @ApiPropertyOptional({ description: `${TEXTS.scope} Replaces the whole scope.` })
  override scope?: MaintenanceScopeDto;
}

export class MaintenanceWindowQuery extends ShortPageQuery {
  @ApiPropertyOptional({ enum: WINDOW_STATUSES, description: 'Only windows that are this now.' })
  @Optional()
  @IsIn(WINDOW_STATUSES)
  status?: WindowStatus;

  @ApiPropertyOptional({
    description: 'Only windows that cover this endpoint, by whatever scope.',
    example: ENDPOINT_ID,
  })
  @Optional()
  @IsPublicId('endpoint')
  endpoint_id?: string;

  @ApiPropertyOptional({
    description: 'Only windows that cover this website or any of its endpoints, by whatever scope.',
    example: WEBSITE_ID,
  })
  @Optional()
  @IsPublicId('website')
  website_id?: string;
}

export class OccurrenceQuery {
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Occurrences that are not over at this time, by default now.',
    example: '2027-03-27T00:00:00Z',
  })
  @Optional()
  @QueryTimestamp(FROM_BOUNDS)
  from?: Date;

  @ApiPropertyOptional({ minimum: 1, maximum: MAX_OCCURRENCES, default: DEFAULT_OCCURRENCES })
  @IsOptional()
  @QueryInteger()
  @Min(1)
  @Max(MAX_OCCURRENCES)
  limit: number = DEFAULT_OCCURRENCES;
}

export const toOccurrenceView = ({ startsAt, endsAt }: Span): MaintenanceOccurrenceView => ({
  starts_at: startsAt.toISOString(),
  ends_at: endsAt.toISOString(),
});

/** Returns the settings of a window under their API names, for the audit log. */
export const settingsOf = (row: WindowRow) => ({
  name: row.name,
  description: row.description,
  scope: toScopeView(row),
  starts_at: row.startsAt?.toISOString() ?? null,
  ends_at: row.endsAt?.toISOString() ?? null,
  cron: row.cron,
  timezone: row.timezone,
  duration: row.durationSeconds,
  mute: row.mute,
  exclude_from_uptime: row.excludeFromUptime,
  public: row.public,
  key: row.externalKey,
});

export function toMaintenanceWindowView(row: WindowRow, now: Date): MaintenanceWindowView {
  const { status, next } = currentOf(row, now);
  return {
    id: formatId('maintenanceWindow', row.id),
    ...settingsOf(row),
    owner: row.owner,
    status,
    active_until: row.activeUntil?.toISOString() ?? null,
    next: next.map(toOccurrenceView),
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
