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
  IsPlainObject,
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
import { shownSettings } from './settings/stored-settings';
import { EndpointTls, sentTls, shownTls, TlsDto } from './settings/tls.dto';

export const ENDPOINT_STATUSES = ['up', 'down', 'unknown', 'paused'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

const upperCase = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.toUpperCase() : value);

/** The query of the endpoint list, optionally limited to one tag. */
export class EndpointQuery extends PageQuery {
  @TagQuery('Return only endpoints that have this tag, or whose website has it. Not case-sensitive.')
  tag?: string;
}

/** The choice of alerts for new endpoints. */
export class NewEndpointQuery {
  @ApiPropertyOptional({
    description:
      '`none`: do not create alert rules for the default contacts. By default, each new endpoint gets an alert rule for each default contact.',
    enum: ['none'],
  })
  @Optional()
  @IsIn(['none'])
  alerts?: 'none';

  @ApiPropertyOptional({
    description: '`true`: a heartbeat, which expects pings and can be late, even before its first ping.',
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
      'The value of the header. Any value may be a credential, so it is encrypted at rest and masked for read keys. ' +
      'Headers that never carry a credential (`Accept`, `User-Agent`, `Content-Type`, `Cache-Control` …) are ' +
      'exceptions. If you send a mask back, the stored value is kept.',
  })
  @IsString()
  value!: string;
}

export class AssertionDto {
  @ApiProperty({ enum: ASSERTION_SOURCES })
  @IsIn(ASSERTION_SOURCES)
  source!: AssertionSource;

  @ApiPropertyOptional({
    description: 'For `header`, the name of the header. For `json`, a JSONPath (RFC 9535).',
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
      'The value to compare with, as text. `status_code` accepts lists and ranges. Numbers in JSON are compared first as written, then as numbers. In `dns_record`, names are compared without regard to case and trailing dots, addresses in any notation, and TXT records exactly. For a header that may carry a credential, the value is masked for read keys. If you send a mask back, the stored value is kept.',
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
      '`critical`: if the assertion fails, the target is down. `warning`: if only warnings fail, the target is up ' +
      'and `degraded`, and the `warning` of the check contains the reason. Always present in responses.',
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
    description:
      'The target of the check. For read keys, the query of an http(s) URL is shown as `?********`. If you send it back like that, the stored value is kept.',
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

  @ApiProperty({ example: 'Example shop', description: 'The name of the website.' })
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
    description: `How the certificate of the host in the URL is checked. ${OF_CHECKS}`,
  })
  tls!: EndpointTls | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `The settings of the type. Settings with their default values are absent. Secrets are masked for every role. ${OF_CHECKS}`,
    example: {},
  })
  settings!: object | null;

  @ApiProperty({
    type: EndpointHeartbeat,
    nullable: true,
    example: null,
    description: 'The schedule of expected pings, and the ping URLs. `null` for types other than `HEARTBEAT`.',
  })
  heartbeat!: EndpointHeartbeat | null;

  @ApiProperty({ type: [String], example: ['local'], description: 'The locations that the endpoint is checked from.' })
  locations!: readonly string[];

  @ShownQuorum()
  quorum!: Quorum;

  @ApiProperty({
    type: [EndpointLocation],
    nullable: true,
    example: null,
    description:
      'The results of each location, in the order of `locations`. `null` if `locations` is exactly `["local"]`.',
  })
  by_location!: EndpointLocation[] | null;

  @ApiProperty({
    type: [String],
    example: ['production', 'team:web'],
    description: 'The tags of the endpoint itself, in order.',
  })
  tags!: string[];

  @ShownKey('the endpoints of the website', 'checkout')
  key!: string | null;

  @ShownOwner()
  owner!: string | null;

  @ApiProperty({ type: [String], example: [], description: 'The IDs of endpoints that this endpoint depends on.' })
  depends_on!: string[];

  @ApiProperty({
    type: [String],
    example: [],
    description: `The IDs of endpoints that depend on this endpoint. Their alerts are suppressed while it is down. At most ${LISTED_CHILDREN} are listed.`,
  })
  dependents!: string[];

  @ApiProperty({
    enum: ENDPOINT_STATUSES,
    description: '`unknown`: the endpoint was never checked, or the service could not determine its status.',
  })
  status!: EndpointStatus;

  @ApiProperty({
    example: false,
    description: 'Whether the endpoint is up while an assertion with severity `warning` fails.',
  })
  degraded!: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'When the endpoint became degraded.',
  })
  degraded_since!: string | null;

  @ApiProperty({
    type: EndpointMaintenance,
    nullable: true,
    example: null,
    description: 'The maintenance window that is active now.',
  })
  maintenance!: EndpointMaintenance | null;

  @ApiProperty({ type: EndpointAcknowledgement, nullable: true, example: null })
  acknowledgement!: EndpointAcknowledgement | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The ID of the open incident that the endpoint is part of.',
  })
  incident_id!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T10:00:00.000Z' })
  last_checked_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-20T10:01:00.000Z',
    description:
      'When the next check is due. `null` while the endpoint is paused, and for types that are not checked on a schedule.',
  })
  next_check_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  updated_at!: string;
}

const TARGET =
  'The target of the check, in the form that the type requires. Required except for `HEARTBEAT`. A change starts a new streak.';
const TYPE = 'The type of the endpoint, in upper case. A change starts a new streak.';

@ReadOnlyFieldsOf(EndpointView)
export class CreateEndpointDto {
  @ApiPropertyOptional({
    type: String,
    enum: HTTP_METHODS,
    nullable: true,
    default: 'GET',
    description: 'The request method, not case-sensitive. Stored but ignored for types other than HTTP and HTTPS.',
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
    description: 'The time between two checks, in seconds.',
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
      'The maximum duration of a check, in seconds. It may exceed the interval: checks of one endpoint never overlap, and the missed check is skipped.',
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
      'The headers that HTTP and HTTPS checks send, in this order. Framing and hop-by-hop headers are rejected. All ' +
      'values together are limited to 16 KiB, and headers, body, and assertions together to 32 KiB.',
  })
  @Nullable()
  @ObjectList(() => HeaderDto, 50)
  headers?: HeaderDto[] | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'The request body, sent unchanged. Headers, body, and assertions together are limited to 32 KiB. Masked for ' +
      'read keys. If you send a mask back, the stored body is kept.',
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
      'Whether to follow redirects, at most 5. The egress policy applies to each hop. Cookies that a server sets along the way are sent as a browser would send them, but only within the same check.',
  })
  @Nullable()
  @IsBoolean()
  follow_redirects?: boolean | null;

  @ApiPropertyOptional({
    type: [AssertionDto],
    nullable: true,
    maxItems: 20,
    description:
      'The assertions, all of which must pass. A critical `status_code` assertion replaces the default rule 200–299. With a `status_code` assertion with severity `warning`, the default rule still applies.',
  })
  @Nullable()
  @ObjectList(() => AssertionDto, 20)
  assertions?: AssertionDto[] | null;

  @ApiPropertyOptional({
    type: TlsDto,
    nullable: true,
    description:
      'How HTTP and HTTPS checks verify the certificate of the host in the URL. If a redirect leads to another ' +
      'host, the default rules apply to that host. The object is replaced as a whole: absent fields are set to ' +
      'their defaults, except `warn_days`, which keeps its value. `null` sets all other fields to their defaults. ' +
      'Stored but ignored for other types.',
  })
  @Nullable()
  @Nested(() => TlsDto)
  tls?: TlsDto | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'The settings of the type, such as the password of a `REDIS` check. Only the members that are sent change, and a ' +
      'member that is `null` is set to its default. `null` sets all of them to their defaults, and so does a change of ' +
      '`type` to one with other settings. Secrets are write-only: they are encrypted at rest and returned masked. If ' +
      'you send a mask back, the stored value is kept. If the check will connect to another server, you must send the ' +
      'secrets again.',
    example: { ip: 'any' },
  })
  @Nullable()
  @IsPlainObject()
  settings?: object | null;

  @LocationsField()
  locations?: readonly string[];

  @QuorumField()
  quorum?: Quorum;

  @TagsField(
    'A set of labels that you choose. They are stored in lower case and in order. The tags of the website also apply to the endpoint and are not repeated here.',
  )
  tags?: string[];

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_PARENTS,
    default: [],
    example: [],
    description:
      'The IDs of endpoints of your organization that this endpoint depends on, as a set. While the newest check of one of them is down, the alerts of this endpoint do not trigger. Cycles are rejected.',
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
      'When pings are expected. Only for `HEARTBEAT`, which requires it. The object is replaced as a whole: absent fields are set to their defaults, except the ping URLs, which keep their values.',
  })
  @Nullable()
  @Nested(() => HeartbeatDto)
  heartbeat?: HeartbeatDto | null;

  @ApiProperty({ example: 'HTTPS', description: TYPE })
  @IsString()
  type!: string;

  @ApiPropertyOptional({
    description: 'The ID of the website that the endpoint is created in. No other ID is accepted.',
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
      'The ID of another website of the organization to move the endpoint to. Its state, history, and alerts move with it. Past events still show the previous website. If the new website is disabled, the endpoint is paused.',
    example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsPublicId('website')
  website_id?: string;

  @KeyField('the endpoints of the website')
  key?: string | null;
}

/**
 * The API name of each setting, in display order. The compiler requires an entry for each column except the one that is
 * a member of `tls`.
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
  settings: 'settings',
  heartbeat: 'heartbeat',
  locations: 'locations',
  quorum: 'quorum',
  tags: 'tags',
  externalKey: 'key',
} as const satisfies Record<
  Exclude<keyof EndpointSettings, 'certificateWarnDays'>,
  keyof UpdateEndpointDto & keyof EndpointView
>;

/** An update body in which every remaining `null` has a meaning. */
export type SentWithoutNulls = Omit<UpdateEndpointDto, NeverStored> & {
  [Field in NeverStored]?: NonNullable<UpdateEndpointDto[Field]>;
};
type NeverStored = 'method' | 'interval' | 'timeout' | 'headers' | 'follow_redirects' | 'assertions';

/** Returns the settings that a client sent, under their stored names, except headers, which the resolver encrypts. */
export const sentSettings = (dto: SentWithoutNulls): Partial<EndpointSettings> => ({
  ...toProperties(
    {
      ...dto,
      name: dto.name?.trim(),
      url: dto.url?.trim(),
      headers: undefined,
      settings: undefined,
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

/** Omits absent keys and the default severity, and uses a fixed order, so that equal assertions compare equal. */
const plainAssertion = (sent: Assertion): Assertion => {
  const { source, property, comparison, target } = sent;
  const plain: Assertion =
    property === undefined ? { source, comparison, target } : { source, property, comparison, target };
  return isCritical(sent) ? plain : { ...plain, severity: 'warning' };
};

const shownAssertion = (stored: Assertion): AssertionDto => ({ ...stored, severity: severityOf(stored) });

/** The heartbeat columns are null for other types, because they have no row in that table. */
type NoHeartbeat = { [Column in keyof HeartbeatColumns]: HeartbeatColumns[Column] | null };

/** An endpoint with its derived data: its website's name and enabled flag, and its state. */
export interface EndpointRow
  extends
    Omit<Endpoint, 'key' | 'orgId' | 'revision' | 'website' | 'locationCount'>,
    WithLocations,
    AcknowledgementColumns,
    NoHeartbeat {
  /** True if the endpoint has rows in `endpoint_location`. */
  located: boolean;
  group: string;
  websiteEnabled: boolean;
  /** The stored code of the newest outcome. */
  state: number;
  degradedSince: Date | null;
  lastCheckedAt: Date | null;
  nextCheckAt: Date | null;
  /** The UUID of the open incident that includes the endpoint. */
  incidentId: string | null;
  /** The UUIDs of the endpoints that this one depends on, in order. */
  dependsOn: readonly string[];
  /** The UUIDs of the first few endpoints that depend on this one. */
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
  settings: null,
};

const heartbeatOf = ({ heartbeat, pingId, pushToken, ...row }: EndpointRow, base: string | null) =>
  heartbeat && pingId !== null && pushToken !== null
    ? shownHeartbeat(heartbeat, { ...row, pingId, pushToken }, base)
    : null;

/** The data that an endpoint's view needs in addition to its row. */
export interface ShownBeside {
  /** The headers as the API shows them: decrypted or masked. */
  headers: HeaderDto[];
  maintenance: Maintenance | null;
  /** `null` if the endpoint is checked only at `local`. */
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
    : {
        headers,
        assertions: row.assertions.map(shownAssertion),
        tls: shownTls(row),
        settings: shownSettings(row.settings),
        heartbeat: null,
      }),
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

/** Placeholders for derived fields. The audit log omits all of them. */
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
 * Returns the settings as the audit log keeps them: what a read key sees, with no header value decrypted. There is no
 * website when the endpoint is only being tested.
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

/** The settings that `toAuditView` masks. An audit log entry must state separately that they changed. */
export const MASKED_SETTINGS = [
  'url',
  'headers',
  'body',
  'assertions',
  'settings',
] as const satisfies readonly (keyof EndpointSettings)[];
