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
  type MemberRow,
  OPEN_STATUSES,
  type OpenStatus,
  stateOf,
  type UpdateRow,
} from './incident-row';
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
    description: 'What people call it, also on status pages.',
    example: 'Checkout is down',
    minLength: 1,
    maxLength: MAX_TITLE,
  },
  text: {
    description: 'Plain text; line ends are kept. Links are the only thing that a status page makes of it.',
    example: 'The load balancer lost power.',
    minLength: 1,
    maxLength: MAX_TEXT,
  },
  public: {
    description: 'Shown on the status pages that show something of the incident.',
    example: true,
  },
  scope: 'What it is about, as the scope of a maintenance window. Only of an incident by hand.',
};

/** The reason why the endpoints are one incident. The names of the view classes are part of the public API document. */
export class IncidentCauseView {
  @ApiProperty({
    enum: INCIDENT_CAUSES,
    description:
      'Why the second endpoint joined: `dependency` one depends on the other, `address` both cannot be reached there, `website` they are of one website. `people`: somebody split or merged it. `single`: it has one endpoint.',
    example: 'address',
  })
  kind!: IncidentCause;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The address, or the id of the website or of the parent.',
    example: '192.0.2.1',
  })
  value!: string | null;
}

/** An incident as lists and the live stream show it. */
@ApiExtraModels(WholeScopeView, PartialScopeView)
export class IncidentView {
  @ApiProperty({ example: INCIDENT_ID })
  id!: string;

  @ApiProperty({ type: 'integer', description: 'Counts the incidents of the organization.', example: 12 })
  number!: number;

  @ApiProperty({
    enum: INCIDENT_KINDS,
    description: '`detected` by alerts; `manual`: by hand, it counts for no uptime and notifies nobody.',
    example: 'detected',
  })
  kind!: IncidentKind;

  @ApiProperty({ enum: INCIDENT_SEVERITIES, nullable: true, description: 'null by hand.', example: 'down' })
  severity!: IncidentSeverity | null;

  @ApiProperty({
    enum: INCIDENT_STATES,
    description: '`merged`: its endpoints and updates are in `merged_into`; it can only be read.',
    example: 'open',
  })
  state!: IncidentState;

  @ApiProperty({
    enum: INCIDENT_STATUSES,
    nullable: true,
    description: 'The last that was said; null while nobody has said anything.',
    example: 'identified',
  })
  status!: IncidentStatus | null;

  @ApiProperty({ ...TEXTS.title, type: String, nullable: true, example: null })
  title!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'One sentence from what is known, never public; null by hand.',
    example: '3 endpoints at 192.0.2.1 are down: connection refused',
  })
  summary!: string | null;

  @ApiProperty({ type: IncidentCauseView, nullable: true, description: 'null by hand.' })
  cause!: IncidentCauseView | null;

  @ApiProperty({
    ...TIME,
    description: 'The first bad check of its first endpoint; by hand when it was made.',
    example: '2026-11-26T09:58:00.000Z',
  })
  started_at!: string;

  @ApiProperty({ ...TIME, nullable: true, example: null })
  ended_at!: string | null;

  @ApiProperty({ ...TIME, description: 'When the last endpoint joined.', example: '2026-11-26T10:00:30.000Z' })
  joined_at!: string;

  @ApiProperty({ type: 'integer', description: 'How often it began again within 15 minutes.', example: 0 })
  reopened!: number;

  @ApiProperty({ type: String, nullable: true, example: null })
  merged_into!: string | null;

  @ApiProperty({ type: 'integer', description: 'Endpoints that are or were in it.', example: 3 })
  endpoint_count!: number;

  @ApiProperty({ type: 'integer', description: 'Those that are still bad.', example: 2 })
  open_count!: number;

  @ApiProperty({ description: 'Whether it has a public update: status pages show it exactly then.', example: true })
  public!: boolean;

  @ApiProperty({ ...SHOWN_SCOPE, nullable: true, description: `${TEXTS.scope} Else null.`, example: null })
  scope!: WholeScopeView | PartialScopeView | null;

  @ApiProperty({ type: EndpointAcknowledgement, nullable: true, description: 'Who has all of it in hand.' })
  acknowledgement!: EndpointAcknowledgement | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the API key; null of a detected one.',
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

/** A member of an incident. Names and error are from that time, and the endpoint may be deleted by now. */
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

  @ApiProperty({ ...TIME, nullable: true, description: 'null while one of its alerts is triggered.', example: null })
  ended_at!: string | null;

  @ApiProperty({ type: IncidentErrorView, nullable: true, description: 'Of its first alert.' })
  error!: IncidentErrorView | null;

  @ApiProperty({ description: 'It joined while somebody had the incident in hand: nobody was told.', example: false })
  held!: boolean;
}

export class IncidentUpdateView {
  @ApiProperty({ example: exampleId('incidentUpdate') })
  id!: string;

  @ApiProperty({ ...TIME, example: '2026-11-26T10:04:00.000Z' })
  at!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the person or API key; null of an automatic one. Never public.',
    example: 'On call',
  })
  by!: string | null;

  @ApiProperty({
    enum: INCIDENT_STATUSES,
    nullable: true,
    description: 'null: it says no other than before.',
    example: 'identified',
  })
  status!: IncidentStatus | null;

  @ApiProperty({ ...TEXTS.text, minLength: 0 })
  text!: string;

  @ApiProperty(TEXTS.public)
  public!: boolean;

  @ApiProperty({ description: 'Said by the service, when the incident ended or began again.', example: false })
  automatic!: boolean;

  @ApiProperty({ ...TIME, nullable: true, example: null })
  edited_at!: string | null;
}

export class IncidentDetailView extends IncidentView {
  @ApiProperty({
    type: [IncidentEndpointView],
    description: 'The first 100, longest bad first; those that are still bad before the others.',
  })
  endpoints!: IncidentEndpointView[];

  @ApiProperty({ type: [IncidentUpdateView], description: 'All, newest first.' })
  updates!: IncidentUpdateView[];

  @ApiProperty({
    type: [EndpointAcknowledgement],
    description: 'Who had it in hand before, newest first, the last 20; of a long note the beginning.',
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

  @ApiPropertyOptional({ ...TEXTS.public, description: 'Of the first update; only with `text`.', default: false })
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
    description: `${TEXTS.title.description} null: none, of a detected one.`,
  })
  @Nullable()
  @IsName(MAX_TITLE)
  title?: string | null;

  @ApiPropertyOptional({ type: EndpointScopeDto, nullable: true, description: `${TEXTS.scope} Replaces all of it.` })
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
      'Where it is from now on; null: as before. `resolved` needs that no endpoint is bad and ends an incident by hand; `postmortem` comes after the end and changes no status; after the end there is no other.',
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

/** A correction of an update, which can only change its text. */
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
    description: 'Endpoints of the incident, not all of them: they become an incident of their own.',
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
    description: 'Detected incidents whose endpoints and updates move into this one.',
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
  @ApiPropertyOptional({ enum: INCIDENT_STATES, description: 'By default those that are open or ended.' })
  @Optional()
  @IsIn(INCIDENT_STATES)
  state?: IncidentState;

  @ApiPropertyOptional({ enum: INCIDENT_KINDS })
  @Optional()
  @IsIn(INCIDENT_KINDS)
  kind?: IncidentKind;

  @ApiPropertyOptional({ type: Boolean, description: 'Whether it has a public update.' })
  @Optional()
  @QueryBoolean()
  public?: boolean;

  @ApiPropertyOptional({
    description: 'Only those that an endpoint of this website is in, or whose scope covers any of it.',
    example: WEBSITE_ID,
  })
  @Optional()
  @IsPublicId('website')
  website_id?: string;

  @ApiPropertyOptional({
    description: 'Only those that this endpoint is in, or whose scope covers it.',
    example: ENDPOINT_ID,
  })
  @Optional()
  @IsPublicId('endpoint')
  endpoint_id?: string;

  @ApiPropertyOptional({
    ...TIME,
    description: 'Only those that started at this time or later.',
    example: '2026-11-01T00:00:00Z',
  })
  @Optional()
  @QueryTimestamp()
  from?: Date;

  @ApiPropertyOptional({
    ...TIME,
    description: 'Only those that started before this time.',
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
  reopened: row.reopened,
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
  error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' },
  held: row.held,
});

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
