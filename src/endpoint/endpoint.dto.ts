import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import {
  ASSERTION_COMPARISONS,
  ASSERTION_SEVERITIES,
  ASSERTION_SOURCES,
  type Assertion,
  type AssertionComparison,
  type AssertionSeverity,
  type AssertionSource,
  isCritical,
  severityOf,
} from '../checker/assertion/assertion';
import { SPEC_CHECKER_TYPES } from '../checker/checker';
import { toFields, toProperties } from '../platform/database/field-names';
import { HTTP_METHODS } from '../checker/check-request';
import { INTERVAL_BOUNDS, TIMEOUT_BOUNDS } from '../platform/config/check-bounds';
import {
  IsName,
  Nested,
  Nullable,
  ObjectList,
  Optional,
  PartialOf,
  ReadOnlyFieldsOf,
} from '../platform/http/validators';
import { formatId, NIL_UUID } from '../platform/ids/id';
import { IsPublicId } from '../platform/ids/public-id.rule';
import { KeyField, ShownKey, ShownOwner } from '../platform/http/body/resource-key';
import { MASK } from '../platform/secrets/mask';
import { PageQuery } from '../platform/http/page';
import { tagSet, TagQuery, TagsField } from '../website/tags';
import type { Endpoint, EndpointSettings, WithLocations } from './endpoint.entity';
import type { Maintenance } from './suppression/cover';
import { OUTCOME_CODE, outcomeOf } from './outcome-code';
import { LISTED_CHILDREN, MAX_PARENTS } from './suppression/dependencies';
import {
  type AcknowledgementColumns,
  EndpointAcknowledgement,
  EndpointMaintenance,
  toEndpointAcknowledgement,
  toEndpointMaintenance,
} from './suppression/suppression.dto';
import { withoutCredentials } from './settings/shown-settings';
import {
  EndpointHeartbeat,
  type HeartbeatColumns,
  HeartbeatDto,
  inOrder,
  sentSchedule,
  shownHeartbeat,
} from './heartbeat/heartbeat.dto';
import { HEARTBEAT } from './heartbeat/heartbeat-schedule';
import { EndpointLocation, LocationsField, QuorumField, ShownQuorum } from './locations/location.dto';
import { locationSet, shownQuorum, storedQuorum } from './locations/locations';
import type { Quorum } from './verdict';
import { EndpointTls, sentTls, shownTls, TlsDto } from './settings/tls.dto';

export const ENDPOINT_STATUSES = ['up', 'down', 'unknown', 'paused'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

const upperCase = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.toUpperCase() : value);

/** The query of the endpoint list: all endpoints, or those with a tag. */
export class EndpointQuery extends PageQuery {
  @TagQuery('Only endpoints that have this tag, themselves or from their website, in upper or lower case.')
  tag?: string;
}

/** The choice of alerts for new endpoints. */
export class NewEndpointQuery {
  @ApiPropertyOptional({
    description:
      '`none`: no alerts through the contacts that are `default`. Without it each new endpoint gets one through each of them.',
    enum: ['none'],
  })
  @Optional()
  @IsIn(['none'])
  alerts?: 'none';

  @ApiPropertyOptional({
    description: '`true`: a heartbeat is expected, and may be late, also before its first ping.',
    enum: ['true'],
  })
  @Optional()
  @IsIn(['true'])
  armed?: 'true';
}

export class HeaderDto {
  @ApiProperty({ example: 'Accept', maxLength: 256 })
  @IsString()
  key!: string;

  @ApiProperty({
    example: 'text/html',
    maxLength: 4096,
    description:
      'Any value may be a credential: encrypted at rest and masked for read keys, but for headers that never carry one ' +
      '(`Accept`, `User-Agent`, `Content-Type`, `Cache-Control` …). A mask sent back keeps the stored value.',
  })
  @IsString()
  value!: string;
}

export class AssertionDto {
  @ApiProperty({ enum: ASSERTION_SOURCES })
  @IsIn(ASSERTION_SOURCES)
  source!: AssertionSource;

  @ApiPropertyOptional({
    description: '`header`: its name. `json`: a JSONPath (RFC 9535).',
    example: '$.status',
    maxLength: 500,
  })
  @Optional()
  @IsString()
  @MaxLength(500)
  property?: string;

  @ApiProperty({ enum: ASSERTION_COMPARISONS })
  @IsIn(ASSERTION_COMPARISONS)
  comparison!: AssertionComparison;

  @ApiProperty({
    description:
      'What to compare with, as text. `status_code` takes lists and ranges. Numbers in JSON are compared as they are written, then as numbers. In `dns_record` names are compared without regard to case and final dots, addresses in any form, and TXT records exactly. Of a header that may be a credential it is masked for read keys; a mask sent back keeps it.',
    example: '200-299,301',
    maxLength: 1000,
  })
  @IsString()
  @MaxLength(1000)
  target!: string;

  @ApiPropertyOptional({
    enum: ASSERTION_SEVERITIES,
    default: 'critical',
    description:
      '`critical`: the target is down unless it holds. `warning`: when only this fails, the target is up and `degraded`, ' +
      'and the check’s `warning` says why. Always there in responses.',
  })
  @Optional()
  @IsIn(ASSERTION_SEVERITIES)
  severity?: AssertionSeverity;
}

const OF_CHECKS = '`null` for `HEARTBEAT`.';

export class EndpointView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  website_id!: string;

  @ApiProperty({ example: 'Checkout' })
  name!: string;

  @ApiProperty({
    example: 'https://shop.example.com/checkout',
    description: 'Read keys see the query of an http(s) URL as `?********`; sent back like that, it keeps its value.',
  })
  url!: string;

  @ApiProperty({ enum: SPEC_CHECKER_TYPES, example: 'HTTPS' })
  type!: string;

  @ApiProperty({ type: String, enum: HTTP_METHODS, nullable: true, example: 'GET', description: OF_CHECKS })
  method!: string | null;

  @ApiProperty({ type: Number, nullable: true, example: 60, description: `Seconds. ${OF_CHECKS}` })
  interval!: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 10, description: `Seconds. ${OF_CHECKS}` })
  timeout!: number | null;

  @ApiProperty({ example: true })
  enabled!: boolean;

  @ApiProperty({ example: 'Example shop', description: 'The website’s name.' })
  group!: string;

  @ApiProperty({ type: [HeaderDto], nullable: true, description: OF_CHECKS })
  headers!: HeaderDto[] | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Masked for read keys.' })
  body!: string | null;

  @ApiProperty({ type: Boolean, nullable: true, example: true, description: OF_CHECKS })
  follow_redirects!: boolean | null;

  @ApiProperty({ type: [AssertionDto], nullable: true, description: OF_CHECKS })
  assertions!: AssertionDto[] | null;

  @ApiProperty({
    type: EndpointTls,
    nullable: true,
    description: `How the certificate of the URL’s host is judged. ${OF_CHECKS}`,
  })
  tls!: EndpointTls | null;

  @ApiProperty({
    type: EndpointHeartbeat,
    nullable: true,
    example: null,
    description: 'When a ping is expected, and where to send it; `null` for other types than `HEARTBEAT`.',
  })
  heartbeat!: EndpointHeartbeat | null;

  @ApiProperty({ type: [String], example: ['local'], description: 'Where it is checked from.' })
  locations!: readonly string[];

  @ShownQuorum()
  quorum!: Quorum;

  @ApiProperty({
    type: [EndpointLocation],
    nullable: true,
    example: null,
    description: 'What each location saw, in their order; `null` for exactly `["local"]`.',
  })
  by_location!: EndpointLocation[] | null;

  @ApiProperty({ type: [String], example: ['production', 'team:web'], description: 'Its own, in order.' })
  tags!: string[];

  @ShownKey('the endpoints of the website', 'checkout')
  key!: string | null;

  @ShownOwner()
  owner!: string | null;

  @ApiProperty({ type: [String], example: [], description: 'Endpoints without which it cannot be up.' })
  depends_on!: string[];

  @ApiProperty({
    type: [String],
    example: [],
    description: `Endpoints that depend on it: their alerts stay quiet while it is down. The first ${LISTED_CHILDREN}.`,
  })
  dependents!: string[];

  @ApiProperty({ enum: ENDPOINT_STATUSES, description: '`unknown`: never checked, or we could not tell.' })
  status!: EndpointStatus;

  @ApiProperty({ example: false, description: 'Up, but an assertion of severity `warning` fails.' })
  degraded!: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null, description: 'Since when it is.' })
  degraded_since!: string | null;

  @ApiProperty({ type: EndpointMaintenance, nullable: true, example: null, description: 'What is in force now.' })
  maintenance!: EndpointMaintenance | null;

  @ApiProperty({ type: EndpointAcknowledgement, nullable: true, example: null })
  acknowledgement!: EndpointAcknowledgement | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'The open incident that it is in.' })
  incident_id!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T10:00:00.000Z' })
  last_checked_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-20T10:01:00.000Z',
    description: 'When its next check is due; `null` while it is paused, and where none is.',
  })
  next_check_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  updated_at!: string;
}

const TARGET = 'What is checked, in a form of its type; required but for `HEARTBEAT`. Changing it starts a new streak.';
const TYPE = 'Exact upper case. Changing it starts a new streak.';

@ReadOnlyFieldsOf(EndpointView)
export class CreateEndpointDto {
  @ApiPropertyOptional({
    type: String,
    enum: HTTP_METHODS,
    nullable: true,
    default: 'GET',
    description: 'Case-insensitive; kept and ignored for other types than HTTP and HTTPS.',
  })
  @Nullable()
  @Transform(upperCase)
  @IsIn(HTTP_METHODS)
  method?: string | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    ...INTERVAL_BOUNDS,
    default: 60,
    description: 'Seconds from check to check.',
  })
  @Nullable()
  @IsInt()
  @Min(INTERVAL_BOUNDS.minimum)
  @Max(INTERVAL_BOUNDS.maximum)
  interval?: number | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    ...TIMEOUT_BOUNDS,
    default: 10,
    description:
      'Seconds a check may take. May exceed the interval: checks of one endpoint never overlap, the late slot is skipped.',
  })
  @Nullable()
  @IsInt()
  @Min(TIMEOUT_BOUNDS.minimum)
  @Max(TIMEOUT_BOUNDS.maximum)
  timeout?: number | null;

  @ApiPropertyOptional({ default: true })
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: [HeaderDto],
    nullable: true,
    maxItems: 50,
    description:
      'Sent in order with HTTP and HTTPS checks. Framing and hop-by-hop headers are refused. All values together have ' +
      'at most 16 KiB, headers, body and assertions together 32 KiB.',
  })
  @Nullable()
  @ObjectList(() => HeaderDto, 50)
  headers?: HeaderDto[] | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'Request body, sent as it is: at most 32 KiB together with headers and assertions. Masked for read keys; a mask ' +
      'sent back keeps it.',
    example: null,
  })
  @Nullable()
  @IsString()
  body?: string | null;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    default: true,
    description:
      'Follow up to 5 redirects; each hop is judged by the egress policy. Cookies that a server sets on the way are sent as a browser does, for this check alone.',
  })
  @Nullable()
  @IsBoolean()
  follow_redirects?: boolean | null;

  @ApiPropertyOptional({
    type: [AssertionDto],
    nullable: true,
    maxItems: 20,
    description:
      'All must hold. A critical `status_code` assertion replaces the rule 200–299; beside a warning it stays in force.',
  })
  @Nullable()
  @ObjectList(() => AssertionDto, 20)
  assertions?: AssertionDto[] | null;

  @ApiPropertyOptional({
    type: TlsDto,
    nullable: true,
    description:
      'How checks of HTTP and HTTPS judge the certificate of the URL’s own host; another host that a redirect leads to is ' +
      'judged as ever. Replaced as a whole: what is absent becomes its default, and all of it with `null`, but `warn_days`, which stays. ' +
      'Kept and ignored for other types.',
  })
  @Nullable()
  @Nested(() => TlsDto)
  tls?: TlsDto | null;

  @LocationsField()
  locations?: readonly string[];

  @QuorumField()
  quorum?: Quorum;

  @TagsField(
    'Labels of yours, a set, kept in lower case and in order. Its website’s apply as well and are not repeated here.',
  )
  tags?: string[];

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_PARENTS,
    default: [],
    example: [],
    description:
      'Ids of endpoints of your organization without which this one cannot be up, a set. While one of them is down by its newest check, the alerts of this one do not trigger. Cycles are refused.',
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_PARENTS)
  @IsPublicId('endpoint', { each: true })
  depends_on?: string[];

  @ApiProperty({ example: 'Checkout', minLength: 1, maxLength: 255 })
  @IsName(255)
  name!: string;

  @ApiPropertyOptional({ example: 'https://shop.example.com/checkout', maxLength: 2048, description: TARGET })
  @ValidateIf(({ type, url }: { type?: unknown; url?: unknown }) => url !== undefined || type !== HEARTBEAT)
  @IsString()
  @MaxLength(2048)
  url?: string;

  @ApiPropertyOptional({
    type: HeartbeatDto,
    nullable: true,
    description:
      'Of `HEARTBEAT`, and required there: when a ping is expected. Replaced as a whole: what is absent becomes its default, but the addresses, which stay.',
  })
  @Nullable()
  @Nested(() => HeartbeatDto)
  heartbeat?: HeartbeatDto | null;

  @ApiProperty({ example: 'HTTPS', description: TYPE })
  @IsString()
  type!: string;

  @ApiPropertyOptional({
    description: 'Accepted only with the id of the website it is made for.',
    example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsString()
  website_id?: string;

  @KeyField('the endpoints of the website')
  key?: string | null;
}

/** A partial update. Only the fields that are sent change. */
export class UpdateEndpointDto extends PartialOf(OmitType(CreateEndpointDto, ['website_id', 'key'])) {
  @ApiPropertyOptional({
    description:
      'Another website of the organization: the endpoint moves there with its state, history and alerts. Past events keep the website of their time. In a website that is disabled it is paused.',
    example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsPublicId('website')
  website_id?: string;

  @KeyField('the endpoints of the website')
  key?: string | null;
}

/**
 * The API name of each setting, in the order in which it is shown. The compiler requires an entry for each column
 * except the one that is a member of `tls`.
 */
export const SETTING_FIELDS = {
  name: 'name',
  url: 'url',
  type: 'type',
  method: 'method',
  intervalSeconds: 'interval',
  timeoutSeconds: 'timeout',
  enabled: 'enabled',
  headers: 'headers',
  body: 'body',
  followRedirects: 'follow_redirects',
  assertions: 'assertions',
  tls: 'tls',
  heartbeat: 'heartbeat',
  locations: 'locations',
  quorum: 'quorum',
  tags: 'tags',
  externalKey: 'key',
} as const satisfies Record<
  Exclude<keyof EndpointSettings, 'certificateWarnDays'>,
  keyof UpdateEndpointDto & keyof EndpointView
>;

/** A body in which every remaining `null` means something. */
export type SentWithoutNulls = Omit<UpdateEndpointDto, NeverStored> & {
  [Field in NeverStored]?: NonNullable<UpdateEndpointDto[Field]>;
};
type NeverStored = 'method' | 'interval' | 'timeout' | 'headers' | 'follow_redirects' | 'assertions';

/**
 * Returns the settings that a client sent, under their stored names. Leaves out the headers, which the resolver
 * encrypts.
 */
export const sentSettings = (dto: SentWithoutNulls): Partial<EndpointSettings> => ({
  ...toProperties(
    {
      ...dto,
      name: dto.name?.trim(),
      url: dto.url?.trim(),
      headers: undefined,
      assertions: dto.assertions?.map(plainAssertion),
      tls: dto.tls === undefined ? undefined : sentTls(dto.tls),
      heartbeat: dto.heartbeat ? sentSchedule(dto.heartbeat) : undefined,
      locations: dto.locations && locationSet(dto.locations),
      quorum: dto.quorum === undefined ? undefined : storedQuorum(dto.quorum),
      tags: dto.tags && tagSet(dto.tags),
    },
    SETTING_FIELDS,
  ),
  ...(dto.tls?.warn_days === undefined ? {} : { certificateWarnDays: dto.tls.warn_days }),
});

/** Leaves out absent keys and the default severity, and uses a fixed order, so that equal assertions compare equal. */
const plainAssertion = (sent: Assertion): Assertion => {
  const { source, property, comparison, target } = sent;
  const plain: Assertion =
    property === undefined ? { source, comparison, target } : { source, property, comparison, target };
  return isCritical(sent) ? plain : { ...plain, severity: 'warning' };
};

const shownAssertion = (stored: Assertion): AssertionDto => ({ ...stored, severity: severityOf(stored) });

/** The heartbeat columns are null for other types, because they have no row in that table. */
type NoHeartbeat = { [Column in keyof HeartbeatColumns]: HeartbeatColumns[Column] | null };

/** An endpoint with its derived data: the name and switch of its website, and its state. */
export interface EndpointRow
  extends
    Omit<Endpoint, 'key' | 'orgId' | 'revision' | 'website' | 'locationCount'>,
    WithLocations,
    AcknowledgementColumns,
    NoHeartbeat {
  /** True if it has rows in `endpoint_location`. */
  located: boolean;
  group: string;
  websiteEnabled: boolean;
  /** The stored code of the newest outcome. */
  state: number;
  degradedSince: Date | null;
  lastCheckedAt: Date | null;
  nextCheckAt: Date | null;
  /** The UUID of the open incident that the endpoint is in. */
  incidentId: string | null;
  /** The UUIDs of the endpoints that it depends on, in order. */
  dependsOn: readonly string[];
  /** The UUIDs of the first endpoints that depend on it. */
  dependents: readonly string[];
  websiteTags: readonly string[];
}

const statusOf = ({ enabled, websiteEnabled, state }: EndpointRow): EndpointStatus =>
  enabled && websiteEnabled ? outcomeOf(state) : 'paused';

const isDegraded = (row: EndpointRow): boolean => row.degradedSince !== null && statusOf(row) === 'up';

/** The fields that heartbeats don't have. */
const NO_CHECKS = {
  method: null,
  interval: null,
  timeout: null,
  headers: null,
  body: null,
  follow_redirects: null,
  assertions: null,
  tls: null,
};

const heartbeatOf = ({ heartbeat, pingId, pushToken, ...row }: EndpointRow, base: string | null) =>
  heartbeat && pingId !== null && pushToken !== null
    ? shownHeartbeat(heartbeat, { ...row, pingId, pushToken }, base)
    : null;

/** The data that the view of an endpoint needs in addition to its row. */
export interface ShownBeside {
  /** The headers as they are shown: decrypted or masked. */
  headers: HeaderDto[];
  maintenance: Maintenance | null;
  /** `null` if it is checked only at `local`. */
  byLocation: EndpointLocation[] | null;
  /** The public URL of the service. */
  base: string | null;
}

export const toEndpointView = (
  row: EndpointRow,
  { headers, maintenance, byLocation, base }: ShownBeside,
): EndpointView => ({
  id: formatId('endpoint', row.id),
  website_id: formatId('website', row.websiteId),
  ...toFields(row, SETTING_FIELDS),
  ...(row.type === HEARTBEAT
    ? { ...NO_CHECKS, heartbeat: heartbeatOf(row, base) }
    : { headers, assertions: row.assertions.map(shownAssertion), tls: shownTls(row), heartbeat: null }),
  quorum: shownQuorum(row.quorum),
  by_location: byLocation,
  group: row.group,
  owner: row.owner,
  depends_on: row.dependsOn.map((id) => formatId('endpoint', id)),
  dependents: row.dependents.map((id) => formatId('endpoint', id)),
  status: statusOf(row),
  degraded: isDegraded(row),
  degraded_since: isDegraded(row) ? (row.degradedSince?.toISOString() ?? null) : null,
  maintenance: toEndpointMaintenance(maintenance),
  acknowledgement: toEndpointAcknowledgement(row),
  incident_id: row.incidentId && formatId('incident', row.incidentId),
  last_checked_at: row.lastCheckedAt?.toISOString() ?? null,
  next_check_at: row.nextCheckAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

/** Placeholders for what the view derives. The audit log leaves all of it out. */
const NOT_AUDITED = {
  id: NIL_UUID,
  websiteId: NIL_UUID,
  owner: null,
  group: '',
  websiteEnabled: true,
  websiteTags: [],
  dependents: [],
  located: false,
  state: OUTCOME_CODE.unknown,
  degradedSince: null,
  lastCheckedAt: null,
  nextCheckAt: null,
  incidentId: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  acknowledgementNote: null,
  acknowledgedUntil: null,
  pingId: null,
  pushToken: null,
  lastPingAt: null,
  expectedAt: null,
  deadlineAt: null,
  runningSince: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

/**
 * Returns the settings as the audit log keeps them: what a read key sees, without decrypting any header value. There is
 * no website when the endpoint is only being tested.
 */
export const toAuditView = (
  websiteId: string | null,
  settings: EndpointSettings,
  dependsOn: readonly string[],
): object => ({
  ...withoutCredentials(
    toEndpointView(
      { ...NOT_AUDITED, ...settings, dependsOn },
      {
        headers: settings.headers.map(({ key, value, sealed }) => ({ key, value: sealed ? MASK : value })),
        maintenance: null,
        byLocation: null,
        base: null,
      },
    ),
  ),
  heartbeat: settings.heartbeat && inOrder(settings.heartbeat),
  website_id: websiteId === null ? null : formatId('website', websiteId),
});

/** The settings that `toAuditView` masks. An audit entry must state separately that they changed. */
export const MASKED_SETTINGS = [
  'url',
  'headers',
  'body',
  'assertions',
] as const satisfies readonly (keyof EndpointSettings)[];
