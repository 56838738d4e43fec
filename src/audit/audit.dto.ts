import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Max, Min, ValidateBy } from 'class-validator';
import { CursorQuery, LIMIT_DESCRIPTION, QueryInteger } from '../platform/http/page';
import { QueryTimestamp } from '../platform/http/validators';
import { formatId, parseId } from '../platform/ids/id';
import { IsPublicId } from '../platform/ids/public-id.rule';
import {
  AUDIT_ACTIONS,
  type AuditAction,
  AUDITED,
  auditedKind,
  type AuditedResource,
  auditedResources,
  type Settings,
} from './audited-change';
import { type Credential, CREDENTIALS } from './authorship';

/** Returns the UUID in the public ID of an audited resource, or `null` if the text isn't such an ID. */
export function parseAuditedId(text: unknown): string | null {
  for (const resource of auditedResources()) {
    const kind = auditedKind(resource);
    const uuid = kind === null ? null : parseId(kind, text);
    if (uuid !== null) return uuid;
  }
  return null;
}

/**
 * Returns the public ID of an entry's resource. If the extension that registered the resource is no longer installed,
 * returns the UUID.
 */
function shownId({ resource, resource_id }: Pick<AuditRow, 'resource' | 'resource_id'>): string {
  const kind = auditedKind(resource);
  return kind === null ? resource_id : formatId(kind, resource_id);
}

/** The built-in values. `AuditOpenApi` adds the resources of extensions. */
const SERVICE_RESOURCES = Object.keys(AUDITED);

const IsAuditedResource = (): PropertyDecorator =>
  ValidateBy({
    name: 'isIn',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && auditedResources().includes(value),
      defaultMessage: (args) =>
        `${args?.property ?? 'value'} must be one of the following values: ${auditedResources().join(', ')}`,
    },
  });

const IsAuditedId = (): PropertyDecorator =>
  ValidateBy({
    name: 'publicId',
    validator: {
      validate: (value: unknown) => parseAuditedId(value) !== null,
      defaultMessage: (args) => `${args?.property ?? 'value'} must be an id such as ws_01jd3k6q7be5y9x4v2m8n0r1st`,
    },
  });

/** The filters for the audit log. An unknown ID matches nothing. */
export class AuditQuery extends CursorQuery {
  @ApiPropertyOptional({ type: 'integer', description: LIMIT_DESCRIPTION, minimum: 1, maximum: 1000, default: 50 })
  @IsOptional()
  @QueryInteger()
  @Min(1)
  @Max(1000)
  limit?: number;

  @ApiPropertyOptional({ enum: SERVICE_RESOURCES, description: 'Return only entries about this type of resource.' })
  @IsOptional()
  @IsAuditedResource()
  resource?: AuditedResource;

  @ApiPropertyOptional({
    description:
      'Return only entries about this resource, even if it was deleted. Use the website’s ID for its status page, and the key’s ID for a session.',
    example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @IsOptional()
  @IsAuditedId()
  resource_id?: string;

  @ApiPropertyOptional({ description: 'Return only actions by this user.', example: 'per_01jd3k6q7be5y9x4v2m8n0r1st' })
  @IsOptional()
  @IsPublicId('person')
  person_id?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Return only entries created at this time or later.',
    example: '2026-11-20T00:00:00.000Z',
  })
  @IsOptional()
  @QueryTimestamp()
  since?: Date;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Return only entries created before this time.',
    example: '2026-11-21T00:00:00.000Z',
  })
  @IsOptional()
  @QueryTimestamp()
  until?: Date;
}

export class AuditAuthorView {
  @ApiProperty({
    enum: CREDENTIALS,
    description:
      'How the author was authenticated. `api_key`, `session` (a dashboard session, created from the key), `sign_in_link` (a one-time link, created from the key), `acknowledge_link` (the link in a message), `operator` (the operator token), `auth_off` (authentication is off), `command_line` (a command on the server), `system` (the service itself). For a signed-in user: `password`, `single_sign_on`, `proxy` (the reverse proxy), `invitation`.',
    example: 'api_key',
  })
  via!: Credential;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The ID of the API key, even if the key was revoked.',
    example: 'key_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  key_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the key when the entry was recorded.',
    example: 'Terraform',
  })
  key_name!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The ID of the user, if the author was signed in with an account.',
    example: null,
  })
  person_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The current name of the user; “deleted person” if they were erased.',
    example: null,
  })
  person_name!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The IP address that opened the connection. Behind a reverse proxy, this is the address of the proxy.',
    example: '203.0.113.7',
  })
  ip!: string | null;
}

export class AuditEntryView {
  @ApiProperty({ example: 'au_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;

  @ApiProperty({
    enum: AUDIT_ACTIONS,
    description:
      'The action. `test`: a test message of an alert, or a test of an endpoint before it was saved. `check`: an on-demand check of an endpoint. `sign_in_failed`: a sign-in with an expired key or link. Attempts with an unknown key or link have no entry.',
    example: 'update',
  })
  action!: AuditAction;

  @ApiProperty({ enum: SERVICE_RESOURCES, example: 'website' })
  resource!: AuditedResource;

  @ApiProperty({
    description: 'The ID of the affected resource. If an endpoint was only tested, its ID does not exist.',
    example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  resource_id!: string;

  @ApiProperty({
    type: [String],
    description: 'The settings that an update changed, including masked ones.',
    example: ['enabled'],
  })
  changed!: string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'The changed settings before the action; for a deletion, all settings. Credentials are masked. Limited to 2 KiB: a truncated string or list ends with `…` and its full size, and a setting that does not fit is shown as `… (n bytes)`.',
    example: { enabled: true },
  })
  before!: Settings | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The changed settings after the action; for a creation, all settings. Truncated like `before`.',
    example: { enabled: false },
  })
  after!: Settings | null;

  @ApiProperty({ type: AuditAuthorView, description: 'The author of the action.' })
  author!: AuditAuthorView;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The `X-Request-Id` of the request. IDs that the client chose start with `client:`.',
    example: '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11',
  })
  request_id!: string | null;
}

export interface AuditRow {
  id: string;
  created_at: Date;
  action: AuditAction;
  resource: AuditedResource;
  resource_id: string;
  changed: string[];
  before: Settings | null;
  after: Settings | null;
  via: Credential;
  key_id: string | null;
  key_name: string | null;
  person_id: string | null;
  person_name: string | null;
  address: string | null;
  request_id: string | null;
}

export const toAuditEntryView = (row: AuditRow): AuditEntryView => ({
  id: formatId('audit', row.id),
  created_at: row.created_at.toISOString(),
  action: row.action,
  resource: row.resource,
  resource_id: shownId(row),
  changed: row.changed,
  before: row.before,
  after: row.after,
  author: {
    via: row.via,
    key_id: row.key_id === null ? null : formatId('apiKey', row.key_id),
    key_name: row.key_name,
    person_id: row.person_id === null ? null : formatId('person', row.person_id),
    person_name: row.person_name,
    ip: row.address,
  },
  request_id: row.request_id,
});
