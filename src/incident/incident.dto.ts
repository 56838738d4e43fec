import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsBoolean, IsIn } from 'class-validator';
import { ERROR_CODES } from '../checker/checker';
import {
  EndpointScopeDto,
  PartialScopeView,
  SHOWN_SCOPE,
  toScopeView,
  WholeScopeView,
} from '../endpoint/search/scope.dto';
import { EndpointAcknowledgement } from '../endpoint/suppression/suppression.dto';
import { QueryBoolean, ShortPageQuery } from '../platform/http/page';
import {
  IsLines,
  IsName,
  Nested,
  Nullable,
  Optional,
  QueryTimestamp,
  ReadOnlyFieldsOf,
} from '../platform/http/validators';
import { exampleId, formatId } from '../platform/ids/id';
import { IsPublicId } from '../platform/ids/public-id.rule';
import {
  INCIDENT_CAUSES,
  INCIDENT_KINDS,
  INCIDENT_SEVERITIES,
  INCIDENT_STATES,
  INCIDENT_STATUSES,
  type IncidentCause,
  type IncidentKind,
  type IncidentRow,
  type IncidentSeverity,
  type IncidentState,
  type IncidentStatus,
  endedDowntimeMs,
  memberDowntimeMs,
  type MemberRow,
  OPEN_STATUSES,
  type OpenStatus,
  outagesOf,
  stateOf,
  type UpdateRow,
} from './incident-row';
import { SECOND_MS } from '../platform/time/time-units';
import { summaryOf } from './incident-summary';

const MAX_TITLE = 200;
export const MAX_TEXT = 5000;
const MAX_SPLIT = 1000;
const MAX_MERGED = 100;

const INCIDENT_ID = exampleId('incident');
const ENDPOINT_ID = exampleId('endpoint');
const WEBSITE_ID = exampleId('website');

const TIME = { type: String, format: 'date-time' };
const TEXTS = {
  title: {
    description: 'The title of the incident, also shown on status pages.',
    example: 'Checkout is down',
    minLength: 1,
    maxLength: MAX_TITLE,
  },
  text: {
    description: 'Plain text. Line breaks are kept. Status pages turn URLs into links and apply no other formatting.',
    example: 'The load balancer lost power.',
    minLength: 1,
    maxLength: MAX_TEXT,
  },
  public: {
    description: 'Whether the update is shown on the status pages that show any part of the incident.',
    example: true,
  },
  scope:
    'The endpoints that the incident affects, in the same form as the scope of a maintenance window. Only for manual incidents.',
};

/** The reason why the endpoints are one incident. The view class names are part of the public API document. */
export class IncidentCauseView {
  @ApiProperty({
    enum: INCIDENT_CAUSES,
    description:
      'Why the second endpoint joined. `dependency`: one of the two depends on the other. `address`: both are unreachable at the same address. `website`: both belong to the same website. `people`: a user or API key split or merged the incident. `single`: the incident has one endpoint.',
    example: 'address',
  })
  kind!: IncidentCause;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The address, the ID of the website, or the ID of the parent endpoint.',
    example: '192.0.2.1',
  })
  value!: string | null;
}

/** An incident, as shown in lists and the live stream. */
@ApiExtraModels(WholeScopeView, PartialScopeView)
export class IncidentView {
  @ApiProperty({ example: INCIDENT_ID })
  id!: string;

  @ApiProperty({ type: 'integer', description: 'A sequential number within the organization.', example: 12 })
  number!: number;

  @ApiProperty({
    enum: INCIDENT_KINDS,
    description:
      '`detected`: created by alerts. `manual`: created by a user or API key. A manual incident does not affect uptime and notifies no one.',
    example: 'detected',
  })
  kind!: IncidentKind;

  @ApiProperty({
    enum: INCIDENT_SEVERITIES,
    nullable: true,
    description: '`null` for manual incidents.',
    example: 'down',
  })
  severity!: IncidentSeverity | null;

  @ApiProperty({
    enum: INCIDENT_STATES,
    description:
      '`merged`: the endpoints and updates moved to the incident in `merged_into`. A merged incident is read-only.',
    example: 'open',
  })
  state!: IncidentState;

  @ApiProperty({
    enum: INCIDENT_STATUSES,
    nullable: true,
    description: 'The current status, as set by updates. `null` until an update sets one.',
    example: 'identified',
  })
  status!: IncidentStatus | null;

  @ApiProperty({ ...TEXTS.title, type: String, nullable: true, example: null })
  title!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'A generated sentence that describes the incident. It is never public. `null` for manual incidents.',
    example: '3 endpoints at 192.0.2.1 are down: connection refused',
  })
  summary!: string | null;

  @ApiProperty({ type: IncidentCauseView, nullable: true, description: '`null` for manual incidents.' })
  cause!: IncidentCauseView | null;

  @ApiProperty({
    ...TIME,
    description:
      'The time of the first failed check of the first endpoint. For manual incidents, the time of creation.',
    example: '2026-11-26T09:58:00.000Z',
  })
  started_at!: string;

  @ApiProperty({ ...TIME, nullable: true, example: null })
  ended_at!: string | null;

  @ApiProperty({ ...TIME, description: 'The time when the last endpoint joined.', example: '2026-11-26T10:00:30.000Z' })
  joined_at!: string;

  @ApiProperty({
    type: 'integer',
    description: 'How often the incident reopened because an endpoint failed again within 15 minutes.',
    example: 0,
  })
  reopen_count!: number;

  @ApiProperty({
    type: 'integer',
    description:
      'The number of outages: periods during which at least one endpoint was failing. An incident that reopens has more than one.',
    example: 1,
  })
  outage_count!: number;

  @ApiProperty({
    ...TIME,
    description: 'The time when the last outage started.',
    example: '2026-11-26T09:58:00.000Z',
  })
  last_outage_started_at!: string;

  @ApiProperty({
    type: 'integer',
    description:
      'The length of all outages that have ended, in seconds. The time between two outages does not count. While the incident is open, add the time since `last_outage_started_at`. For a manual incident, the length of the incident.',
    example: 0,
  })
  downtime_seconds!: number;

  @ApiProperty({ type: String, nullable: true, example: null })
  merged_into!: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'The number of endpoints that are or were part of the incident.',
    example: 3,
  })
  endpoint_count!: number;

  @ApiProperty({ type: 'integer', description: 'The number of endpoints that are still failing.', example: 2 })
  open_count!: number;

  @ApiProperty({
    description: 'Whether the incident has a public update. Only public incidents appear on status pages.',
    example: true,
  })
  public!: boolean;

  @ApiProperty({ ...SHOWN_SCOPE, nullable: true, description: `${TEXTS.scope} Otherwise \`null\`.`, example: null })
  scope!: WholeScopeView | PartialScopeView | null;

  @ApiProperty({
    type: EndpointAcknowledgement,
    nullable: true,
    description: 'The acknowledgement of the whole incident.',
  })
  acknowledgement!: EndpointAcknowledgement | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the user or API key that created the incident. `null` for detected incidents.',
    example: null,
  })
  created_by!: string | null;

  @ApiProperty({ ...TIME, example: '2026-11-26T10:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ ...TIME, example: '2026-11-26T10:04:00.000Z' })
  updated_at!: string;
}

export class IncidentErrorView {
  @ApiProperty({ enum: ERROR_CODES, enumName: 'CheckErrorCode', example: 'connection_refused' })
  code!: string;

  @ApiProperty({ example: 'The connection to 192.0.2.1 port 443 was refused.' })
  message!: string;
}

/** One outage of an endpoint in an incident. */
export class IncidentOutageView {
  @ApiProperty({ ...TIME, description: 'The time of the first failed check.', example: '2026-11-26T09:58:00.000Z' })
  started_at!: string;

  @ApiProperty({
    ...TIME,
    nullable: true,
    description: 'The time of the first successful check. `null` while the endpoint is failing.',
    example: null,
  })
  ended_at!: string | null;

  @ApiProperty({ type: IncidentErrorView, nullable: true, description: 'The error that triggered the alert.' })
  error!: IncidentErrorView | null;
}

/** A member of an incident. Names and error are from that time, and the endpoint may have been deleted since. */
export class IncidentEndpointView {
  @ApiProperty({ example: ENDPOINT_ID })
  endpoint_id!: string;

  @ApiProperty({ example: 'Checkout' })
  endpoint_name!: string;

  @ApiProperty({ example: WEBSITE_ID })
  website_id!: string;

  @ApiProperty({ example: 'Shop' })
  website_name!: string;

  @ApiProperty({ ...TIME, example: '2026-11-26T09:58:00.000Z' })
  started_at!: string;

  @ApiProperty({
    ...TIME,
    nullable: true,
    description: "`null` while one of the endpoint's alerts is triggered.",
    example: null,
  })
  ended_at!: string | null;

  @ApiProperty({ type: IncidentErrorView, nullable: true, description: "The error of the endpoint's first alert." })
  error!: IncidentErrorView | null;

  @ApiProperty({
    description: 'Whether the endpoint joined while the incident was acknowledged. In that case, no one was notified.',
    example: false,
  })
  suppressed!: boolean;

  @ApiProperty({
    type: [IncidentOutageView],
    description: 'The last 50 outages of the endpoint in this incident, newest first.',
  })
  outages!: IncidentOutageView[];

  @ApiProperty({ type: 'integer', description: 'The number of its outages.', example: 1 })
  outage_count!: number;

  @ApiProperty({
    type: 'integer',
    description:
      'The length of its outages that have ended, in seconds. While `ended_at` is `null`, add the time since the start of the first item of `outages`.',
    example: 0,
  })
  downtime_seconds!: number;
}

export class IncidentUpdateView {
  @ApiProperty({ example: exampleId('incidentUpdate') })
  id!: string;

  @ApiProperty({ ...TIME, example: '2026-11-26T10:04:00.000Z' })
  at!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the user or API key that posted the update. Never public. `null` for automatic updates.',
    example: 'On call',
  })
  by!: string | null;

  @ApiProperty({
    enum: INCIDENT_STATUSES,
    nullable: true,
    description: 'The status that this update sets. `null` if it does not change the status.',
    example: 'identified',
  })
  status!: IncidentStatus | null;

  @ApiProperty({ ...TEXTS.text, minLength: 0 })
  text!: string;

  @ApiProperty(TEXTS.public)
  public!: boolean;

  @ApiProperty({
    description: 'Whether the service posted the update, because the incident ended or reopened.',
    example: false,
  })
  automatic!: boolean;

  @ApiProperty({ ...TIME, nullable: true, example: null })
  edited_at!: string | null;
}

export class IncidentDetailView extends IncidentView {
  @ApiProperty({
    type: [IncidentEndpointView],
    description:
      'The first 100 endpoints. Endpoints that are still failing come first, then those that started to fail earliest.',
  })
  endpoints!: IncidentEndpointView[];

  @ApiProperty({ type: [IncidentUpdateView], description: 'All updates, newest first.' })
  updates!: IncidentUpdateView[];

  @ApiProperty({
    type: [EndpointAcknowledgement],
    description: 'The last 20 previous acknowledgements, newest first. Long notes are shortened.',
  })
  past_acknowledgements!: EndpointAcknowledgement[];
}

@ReadOnlyFieldsOf(IncidentDetailView)
export class CreateIncidentDto {
  @ApiProperty(TEXTS.title)
  @IsName(MAX_TITLE)
  title!: string;

  @ApiProperty({ description: TEXTS.scope })
  @Nested(() => EndpointScopeDto)
  scope!: EndpointScopeDto;

  @ApiPropertyOptional({ ...TEXTS.text, description: `The first update. ${TEXTS.text.description}` })
  @Optional()
  @IsLines(MAX_TEXT)
  text?: string;

  @ApiPropertyOptional({ enum: OPEN_STATUSES, default: 'investigating' })
  @Optional()
  @IsIn(OPEN_STATUSES)
  status?: OpenStatus;

  @ApiPropertyOptional({
    ...TEXTS.public,
    description: 'Whether the first update is public. Only allowed with `text`.',
    default: false,
  })
  @Optional()
  @IsBoolean()
  public?: boolean;
}

/** A partial update. Only the fields that are sent change. */
@ReadOnlyFieldsOf(IncidentDetailView)
export class UpdateIncidentDto {
  @ApiPropertyOptional({
    ...TEXTS.title,
    type: String,
    nullable: true,
    description: `${TEXTS.title.description} Set it to \`null\` to remove the title of a detected incident.`,
  })
  @Nullable()
  @IsName(MAX_TITLE)
  title?: string | null;

  @ApiPropertyOptional({
    type: EndpointScopeDto,
    nullable: true,
    description: `${TEXTS.scope} Replaces the whole scope.`,
  })
  @Nullable()
  @Nested(() => EndpointScopeDto)
  scope?: EndpointScopeDto | null;
}

@ReadOnlyFieldsOf(IncidentUpdateView)
export class CreateIncidentUpdateDto {
  @ApiProperty(TEXTS.text)
  @IsLines(MAX_TEXT)
  text!: string;

  @ApiPropertyOptional({
    enum: INCIDENT_STATUSES,
    nullable: true,
    default: null,
    description:
      'The new status of the incident. `null` keeps the current status. `resolved` is only accepted when no endpoint is failing, and it ends a manual incident. `postmortem` is only accepted after the incident has ended, and it does not change the status. After the end, only `resolved` and `postmortem` are accepted.',
    example: 'identified',
  })
  @Nullable()
  @IsIn(INCIDENT_STATUSES)
  status?: IncidentStatus | null;

  @ApiPropertyOptional({ ...TEXTS.public, default: false })
  @Optional()
  @IsBoolean()
  public?: boolean;
}

/** A correction to an update, which can only change its text. */
@ReadOnlyFieldsOf(IncidentUpdateView)
export class EditIncidentUpdateDto {
  @ApiPropertyOptional(TEXTS.text)
  @Optional()
  @IsLines(MAX_TEXT)
  text?: string;
}

export class SplitIncidentDto {
  @ApiProperty({
    type: [String],
    description: 'The endpoints to move to a new incident. At least one endpoint must remain.',
    minItems: 1,
    maxItems: MAX_SPLIT,
    uniqueItems: true,
    example: [ENDPOINT_ID],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_SPLIT)
  @ArrayUnique()
  @IsPublicId('endpoint', { each: true })
  endpoint_ids!: string[];
}

export class MergeIncidentsDto {
  @ApiProperty({
    type: [String],
    description: 'The detected incidents whose endpoints and updates move into this one.',
    minItems: 1,
    maxItems: MAX_MERGED,
    uniqueItems: true,
    example: [INCIDENT_ID],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_MERGED)
  @ArrayUnique()
  @IsPublicId('incident', { each: true })
  incident_ids!: string[];
}

export class IncidentQuery extends ShortPageQuery {
  @ApiPropertyOptional({
    enum: INCIDENT_STATES,
    description: 'Only incidents in this state. By default, open and ended incidents.',
  })
  @Optional()
  @IsIn(INCIDENT_STATES)
  state?: IncidentState;

  @ApiPropertyOptional({ enum: INCIDENT_KINDS, description: 'Only incidents of this kind.' })
  @Optional()
  @IsIn(INCIDENT_KINDS)
  kind?: IncidentKind;

  @ApiPropertyOptional({
    type: Boolean,
    description: 'Only incidents that have a public update (`true`) or have none (`false`).',
  })
  @Optional()
  @QueryBoolean()
  public?: boolean;

  @ApiPropertyOptional({
    description: 'Only incidents with an endpoint of this website, or whose scope covers any part of it.',
    example: WEBSITE_ID,
  })
  @Optional()
  @IsPublicId('website')
  website_id?: string;

  @ApiPropertyOptional({
    description: 'Only incidents with this endpoint, or whose scope covers it.',
    example: ENDPOINT_ID,
  })
  @Optional()
  @IsPublicId('endpoint')
  endpoint_id?: string;

  @ApiPropertyOptional({
    ...TIME,
    description: 'Only incidents that started at this time or later.',
    example: '2026-11-01T00:00:00Z',
  })
  @Optional()
  @QueryTimestamp()
  from?: Date;

  @ApiPropertyOptional({
    ...TIME,
    description: 'Only incidents that started before this time.',
    example: '2026-12-01T00:00:00Z',
  })
  @Optional()
  @QueryTimestamp()
  to?: Date;
}

const shownAt = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Returns the fields that users set, under their API names, for the audit log and the ETag. */
export const settingsOf = (row: IncidentRow) => ({
  title: row.title,
  scope: row.kind === 'manual' ? toScopeView(scopeOf(row)) : null,
});

/** Returns the scope of a manual incident. */
export const scopeOf = (row: IncidentRow) => ({
  coversAll: row.scopeAll,
  websiteIds: row.scopeWebsiteIds,
  endpointIds: row.scopeEndpointIds,
  tags: row.scopeTags,
});

function causeOf({ cause, causeValue }: IncidentRow): IncidentCauseView | null {
  if (cause === null) return null;
  const kinds: Partial<Record<IncidentCause, 'website' | 'endpoint'>> = { website: 'website', dependency: 'endpoint' };
  const kind = kinds[cause];
  return { kind: cause, value: causeValue !== null && kind ? formatId(kind, causeValue) : causeValue };
}

/** Returns the view without lists. */
export const toIncidentView = (row: IncidentRow): IncidentView => ({
  id: formatId('incident', row.id),
  number: row.number,
  kind: row.kind,
  severity: row.severity,
  state: stateOf(row),
  status: row.status,
  title: row.title,
  summary: summaryOf(row),
  cause: causeOf(row),
  started_at: row.startedAt.toISOString(),
  ended_at: shownAt(row.endedAt),
  joined_at: row.joinedAt.toISOString(),
  reopen_count: row.reopened,
  outage_count: row.outageCount,
  last_outage_started_at: (row.lastStartedAt ?? row.startedAt).toISOString(),
  downtime_seconds: Math.round(endedDowntimeMs(row) / SECOND_MS),
  merged_into: row.mergedInto && formatId('incident', row.mergedInto),
  endpoint_count: row.endpointCount,
  open_count: row.openCount,
  public: row.publicAt !== null,
  scope: settingsOf(row).scope,
  acknowledgement: row.ackAt && {
    by: row.ackBy,
    at: row.ackAt.toISOString(),
    note: row.ackNote ?? '',
    until: shownAt(row.ackUntil),
  },
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

export const toIncidentEndpointView = (row: MemberRow): IncidentEndpointView => ({
  endpoint_id: formatId('endpoint', row.endpointId),
  endpoint_name: row.endpointName,
  website_id: formatId('website', row.websiteId),
  website_name: row.websiteName,
  started_at: row.startedAt.toISOString(),
  ended_at: shownAt(row.endedAt),
  error: errorOf(row.errorCode, row.errorMessage),
  suppressed: row.held,
  outages: outagesOf(row).map(({ from, until, code, message }) => ({
    started_at: new Date(from).toISOString(),
    ended_at: until === null ? null : new Date(until).toISOString(),
    error: errorOf(code, message),
  })),
  outage_count: Math.max(1, row.outageCount),
  downtime_seconds: Math.round(memberDowntimeMs(row) / SECOND_MS),
});

const errorOf = (code: string | null, message: string | null): IncidentErrorView | null =>
  code === null ? null : { code, message: message ?? '' };

export const toIncidentUpdateView = (row: UpdateRow): IncidentUpdateView => ({
  id: formatId('incidentUpdate', row.id),
  at: row.at.toISOString(),
  by: row.by,
  status: row.status,
  text: row.text,
  public: row.public,
  automatic: row.automatic,
  edited_at: shownAt(row.editedAt),
});
