import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { PageQuery } from '../../platform/http/page';
import { IsName, IsTimestamp, Nullable } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { IsPublicId } from '../../platform/ids/public-id.rule';
import { type Role, ROLES } from '../../platform/access/permissions';

export interface ApiKeyRow {
  id: string;
  org_id: string;
  name: string;
  role: Role;
  /** `null`, like the hash, for a key that 0.1.0 created for an invitation and that was never used. */
  lookup: string | null;
  hash: Buffer | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
  /** The UUID of the person who created the key, or `null` if another key or no one did. */
  created_by_id: string | null;
}

/** A row that includes the name of the key's creator: the person's current name or the key's name. */
export type MadeKeyRow = ApiKeyRow & { made_by: string | null };

export class ApiKeysQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Return only keys that this user created.',
    example: 'per_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @IsOptional()
  @IsPublicId('person')
  created_by_id?: string;
}

export class CreateApiKeyDto {
  @ApiProperty({ example: 'Terraform', minLength: 1, maxLength: 255 })
  @IsName(255)
  name!: string;

  @ApiProperty({
    enum: ROLES,
    description:
      'The role of the key. `read` may send GET requests. `responder` may also acknowledge, post incident updates, and create one-off maintenance windows. `write` may also create, update, delete, run, and test. `admin` may also manage keys.',
  })
  @IsIn(ROLES)
  role!: Role;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the key stops working: a time in the future with `Z` or an offset, or a date. If absent, the key never expires.',
    example: '2027-12-31T00:00:00.000Z',
  })
  @Nullable()
  @IsTimestamp()
  expires_at?: string | null;
}

export class ApiKeyView {
  @ApiProperty({ example: 'key_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Terraform' })
  name!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  expires_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the last use, accurate to the minute.',
    example: '2026-11-20T10:15:00.000Z',
  })
  last_used_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The name of the user or the key that created it. “deleted person” if the user was erased, null for the first key.',
    example: 'Ada',
  })
  created_by!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The ID of the user who created it. null if a key created it.',
    example: 'per_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  created_by_id!: string | null;
}

export class CreatedApiKeyView extends ApiKeyView {
  @ApiProperty({ description: 'The key itself. Shown only this once.', example: 'ums_w_…' })
  key!: string;
}

export const toApiKeyView = (row: MadeKeyRow): ApiKeyView => ({
  id: formatId('apiKey', row.id),
  ...keySettings(row),
  last_used_at: row.last_used_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  created_by: row.made_by,
  created_by_id: row.created_by_id === null ? null : formatId('person', row.created_by_id),
});

/** Returns the values for the audit log, excluding personal names. */
export const keySettings = (row: ApiKeyRow) => ({
  name: row.name,
  role: row.role,
  expires_at: row.expires_at?.toISOString() ?? null,
});
