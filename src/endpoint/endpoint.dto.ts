import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import {
  ASSERTION_COMPARISONS,
  ASSERTION_SOURCES,
  type AssertionComparison,
  type AssertionSource,
} from '../checker/assertion/assertion';
import { isSensitiveHeader } from '../checker/request-headers';
import type { Role } from '../platform/access/caller';
import { IsName, Nullable, ObjectList, Optional, ReadOnlyField } from '../platform/http/validators';
import { formatId } from '../platform/ids/id';
import type { Endpoint } from './endpoint.entity';

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export const ENDPOINT_STATUSES = ['up', 'down', 'unknown', 'paused'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** How a value is shown to a key that may not see it; sent back, it keeps what is stored. */
export const MASK = '********';

const upperCase = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.toUpperCase() : value);

export class HeaderDto {
  @ApiProperty({ example: 'Accept', maxLength: 256 })
  @IsString()
  key!: string;

  @ApiProperty({
    example: 'text/html',
    maxLength: 4096,
    description: 'Values of credentials (`Authorization`, `Cookie`, `X-API-Key` …) are masked for read keys.',
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
    description: 'What to compare with, as text. `status_code` takes lists and ranges.',
    example: '200-299,301',
    maxLength: 1000,
  })
  @IsString()
  @MaxLength(1000)
  target!: string;
}

/** Read-only fields may be sent back; they are ignored. */
class EndpointReadOnly {
  @ReadOnlyField() id?: unknown;
  @ReadOnlyField() group?: unknown;
  @ReadOnlyField() status?: unknown;
  @ReadOnlyField() last_checked_at?: unknown;
  @ReadOnlyField() created_at?: unknown;
  @ReadOnlyField() updated_at?: unknown;
}

const TARGET = 'What is checked, in a form of its type. Changing it starts a new streak.';
const TYPE = 'Exact upper case. Changing it starts a new streak.';

/** Fields that have a default, or that keep their value. */
class EndpointOptions extends EndpointReadOnly {
  @ApiPropertyOptional({
    enum: METHODS,
    default: 'GET',
    description: 'Case-insensitive; kept and ignored for other types than HTTP and HTTPS.',
  })
  @Optional()
  @Transform(upperCase)
  @IsIn(METHODS)
  method?: string;

  @ApiPropertyOptional({ minimum: 1, maximum: 86400, default: 60, description: 'Seconds from check to check.' })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(86_400)
  interval?: number;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: 300,
    default: 10,
    description:
      'Seconds a check may take. May exceed the interval: checks of one endpoint never overlap, the late slot is skipped.',
  })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(300)
  timeout?: number;

  @ApiPropertyOptional({ default: true })
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: [HeaderDto],
    maxItems: 50,
    description: 'Sent in order with HTTP and HTTPS checks. Framing and hop-by-hop headers are refused.',
  })
  @Optional()
  @ObjectList(() => HeaderDto, 50)
  headers?: HeaderDto[];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Request body, at most 64 KiB, sent as it is.',
    example: null,
  })
  @Nullable()
  @IsString()
  body?: string | null;

  @ApiPropertyOptional({
    default: true,
    description: 'Follow up to 5 redirects; each hop is judged by the egress policy.',
  })
  @Optional()
  @IsBoolean()
  follow_redirects?: boolean;

  @ApiPropertyOptional({
    type: [AssertionDto],
    maxItems: 20,
    description: 'All must hold. A `status_code` assertion replaces the rule 200–299.',
  })
  @Optional()
  @ObjectList(() => AssertionDto, 20)
  assertions?: AssertionDto[];

  @ApiPropertyOptional({
    description: 'Immutable: accepted only with its present value.',
    example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsString()
  website_id?: string;
}

export class CreateEndpointDto extends EndpointOptions {
  @ApiProperty({ example: 'Checkout', minLength: 1, maxLength: 255 })
  @IsName(255)
  name!: string;

  @ApiProperty({ example: 'https://shop.example.com/checkout', maxLength: 2048, description: TARGET })
  @IsString()
  @MaxLength(2048)
  url!: string;

  @ApiProperty({ example: 'HTTPS', description: TYPE })
  @IsString()
  type!: string;
}

export class UpdateEndpointDto extends EndpointOptions {
  @ApiPropertyOptional({ example: 'Checkout', minLength: 1, maxLength: 255 })
  @Optional()
  @IsName(255)
  name?: string;

  @ApiPropertyOptional({ example: 'https://shop.example.com/checkout', maxLength: 2048, description: TARGET })
  @Optional()
  @IsString()
  @MaxLength(2048)
  url?: string;

  @ApiPropertyOptional({ example: 'HTTPS', description: TYPE })
  @Optional()
  @IsString()
  type?: string;
}

export class EndpointView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  website_id!: string;

  @ApiProperty({ example: 'Checkout' })
  name!: string;

  @ApiProperty({ example: 'https://shop.example.com/checkout' })
  url!: string;

  @ApiProperty({ example: 'HTTPS' })
  type!: string;

  @ApiProperty({ enum: METHODS, example: 'GET' })
  method!: string;

  @ApiProperty({ example: 60, description: 'Seconds.' })
  interval!: number;

  @ApiProperty({ example: 10, description: 'Seconds.' })
  timeout!: number;

  @ApiProperty({ example: true })
  enabled!: boolean;

  @ApiProperty({ example: 'Example shop', description: 'The website’s name.' })
  group!: string;

  @ApiProperty({ type: [HeaderDto] })
  headers!: HeaderDto[];

  @ApiProperty({ type: String, nullable: true, example: null })
  body!: string | null;

  @ApiProperty({ example: true })
  follow_redirects!: boolean;

  @ApiProperty({ type: [AssertionDto] })
  assertions!: AssertionDto[];

  @ApiProperty({ enum: ENDPOINT_STATUSES, description: '`unknown`: never checked, or we could not tell.' })
  status!: EndpointStatus;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T10:00:00.000Z' })
  last_checked_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  updated_at!: string;
}

/** An endpoint with what is derived: its website's name and switch, and its state. */
export interface EndpointRow {
  endpoint: Endpoint;
  group: string;
  websiteEnabled: boolean;
  /** 0 down, 1 up, 2 unknown. */
  state: number;
  lastCheckedAt: Date | null;
}

export function endpointStatus(enabled: boolean, websiteEnabled: boolean, state: number): EndpointStatus {
  if (!enabled || !websiteEnabled) return 'paused';
  if (state === 0) return 'down';
  return state === 1 ? 'up' : 'unknown';
}

/** `headers` are passed in opened form; read keys do not see the values of credentials. */
export const toEndpointView = (row: EndpointRow, headers: readonly HeaderDto[], role: Role): EndpointView => ({
  id: formatId('endpoint', row.endpoint.id),
  website_id: formatId('website', row.endpoint.websiteId),
  name: row.endpoint.name,
  url: row.endpoint.url,
  type: row.endpoint.type,
  method: row.endpoint.method,
  interval: row.endpoint.intervalSeconds,
  timeout: row.endpoint.timeoutSeconds,
  enabled: row.endpoint.enabled,
  group: row.group,
  headers: headers.map(({ key, value }) => ({ key, value: role === 'read' && isSensitiveHeader(key) ? MASK : value })),
  body: row.endpoint.body,
  follow_redirects: row.endpoint.followRedirects,
  assertions: row.endpoint.assertions,
  status: endpointStatus(row.endpoint.enabled, row.websiteEnabled, row.state),
  last_checked_at: row.lastCheckedAt?.toISOString() ?? null,
  created_at: row.endpoint.createdAt.toISOString(),
  updated_at: row.endpoint.updatedAt.toISOString(),
});
