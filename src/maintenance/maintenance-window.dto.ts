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
/** The range of years for which time zone offsets are known. Occurrences are shown with four-digit years. */
const FROM_BOUNDS = { first: new Date('1970-01-01T00:00:00Z'), last: new Date('9900-01-01T00:00:00Z') };

const WINDOW_ID = 'mw_01jd3k6q7be5y9x4v2m8n0r1st';
const WEBSITE_ID = 'ws_01jd3k6q7be5y9x4v2m8n0r1st';
const ENDPOINT_ID = 'ep_01jd3k6q7be5y9x4v2m8n0r1st';

const TEXTS = {
  name: { description: 'The name of the maintenance window.', example: 'Weekly patches', minLength: 1, maxLength: 255 },
  description: {
    description: 'Free text that is shown on status pages.',
    example: 'We update our servers.',
    maxLength: 1000,
  },
  scope:
    'The endpoints that the window covers: all endpoints, or the endpoints that match any of the lists. Endpoints that match later are covered from their next result.',
  startsAt:
    'For a one-off window, the start, at most 5 minutes ago. For a recurring window, this is optional: no occurrence starts before this time.',
  endsAt:
    'For a one-off window, the end, at most 90 days after the start. For a recurring window, this is optional: the recurrence ends at this time.',
  cron: {
    description:
      'A cron expression with five fields, in the local time of `timezone`. `L` and `SUN#2` are supported. The fields have the same meaning as in Debian’s cron. If one of the day fields starts with `*`, both must match; otherwise, one of them is enough. When the clock changes, fixed times start once: a skipped time starts at the change, and a repeated time starts the first time. Minutes or hours that start with `*` follow the new time.',
    example: '0 2 * * SUN',
    maxLength: 100,
  },
  timezone: { description: 'The name of a time zone in the IANA database.', example: 'Europe/Berlin', maxLength: 64 },
  duration: {
    description:
      'The length of each occurrence in elapsed seconds. Clock changes do not affect it. Must be less than the shortest time between two starts.',
    example: 7200,
    minimum: MIN_DURATION_SECONDS,
    maximum: MAX_DURATION_SECONDS,
  },
  mute: {
    description: 'Whether alerts of the covered endpoints are muted. Muted alerts do not trigger, but they do resolve.',
    default: true,
  },
  exclude: {
    description: 'Whether checks are marked as `planned`. Planned checks count neither as up nor as down.',
    default: true,
  },
  public: { description: 'Whether the window is shown on status pages that show anything it covers.', default: true },
};

/** Don't rename: the class name appears in the public API document. */
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

  @ApiProperty({ ...SHOWN_SCOPE, description: 'The endpoints that the window covers.' })
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
    description:
      '`active`: an occurrence is in progress. `scheduled`: an occurrence is planned. `ended`: there are no more occurrences.',
    example: 'scheduled',
  })
  status!: WindowStatus;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The end of the current occurrence.',
    example: null,
  })
  active_until!: string | null;

  @ApiProperty({
    type: () => [MaintenanceOccurrenceView],
    description: 'The next three occurrences that have not started.',
  })
  next!: MaintenanceOccurrenceView[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the user or API key that created the window. `null` if there is none.',
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

/** All fields are optional, and only the fields that are sent change. */
export class UpdateMaintenanceWindowDto extends PartialOf(CreateMaintenanceWindowDto) {
  @ApiPropertyOptional({ description: `${TEXTS.scope} Replaces the whole scope.` })
  override scope?: MaintenanceScopeDto;
}

export class MaintenanceWindowQuery extends ShortPageQuery {
  @ApiPropertyOptional({ enum: WINDOW_STATUSES, description: 'Only windows that currently have this status.' })
  @Optional()
  @IsIn(WINDOW_STATUSES)
  status?: WindowStatus;

  @ApiPropertyOptional({
    description: 'Only windows that cover this endpoint, through any kind of scope.',
    example: ENDPOINT_ID,
  })
  @Optional()
  @IsPublicId('endpoint')
  endpoint_id?: string;

  @ApiPropertyOptional({
    description: 'Only windows that cover this website or any of its endpoints, through any kind of scope.',
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
    description: 'Only occurrences that have not ended at this time. The default is the current time.',
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
