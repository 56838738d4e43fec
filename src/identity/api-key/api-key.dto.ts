import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { IsName, IsTimestamp, Nullable } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { type Role, ROLES } from '../../platform/access/caller';

/** A row of `api_key`. */
export interface ApiKeyRow {
  id: string;
  org_id: string;
  name: string;
  role: Role;
  /** `null`, as the hash is, while an invited key has no secret. */
  lookup: string | null;
  hash: Buffer | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
  /** When the newest link of an invitation ends; `null` for a key that was not made by one. */
  invitation_expires_at: Date | null;
  /** When that link was used. */
  invitation_accepted_at: Date | null;
}

export class CreateApiKeyDto {
  @ApiProperty({ example: 'Terraform', minLength: 1, maxLength: 255 })
  @IsName(255)
  name!: string;

  @ApiProperty({
    enum: ROLES,
    description: '`read` may GET; `write` also create, update, delete, run and test; `admin` also manage keys.',
  })
  @IsIn(ROLES)
  role!: Role;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the key stops working: a time to come, with `Z` or an offset, or a date. Never when absent.',
    example: '2027-12-31T00:00:00.000Z',
  })
  @Nullable()
  @IsTimestamp()
  expires_at?: string | null;
}

/** How a person was invited to use a key. */
export class InvitationView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Until when the newest link works, unless it is used before.',
    example: '2026-11-27T10:00:00.000Z',
  })
  expires_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When that link was used; null before.',
    example: null,
  })
  accepted_at!: string | null;
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
    description: 'To the minute.',
    example: '2026-11-20T10:15:00.000Z',
  })
  last_used_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;

  @ApiProperty({
    type: InvitationView,
    nullable: true,
    description: 'Of a key that was made by an invitation; null for others.',
    example: null,
  })
  invitation!: InvitationView | null;
}

export class CreatedApiKeyView extends ApiKeyView {
  @ApiProperty({ description: 'The key itself. Shown this one time.', example: 'ums_w_…' })
  key!: string;
}

export const toApiKeyView = (row: ApiKeyRow): ApiKeyView => ({
  id: formatId('apiKey', row.id),
  name: row.name,
  role: row.role,
  expires_at: row.expires_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  invitation: row.invitation_expires_at && {
    expires_at: row.invitation_expires_at.toISOString(),
    accepted_at: row.invitation_accepted_at?.toISOString() ?? null,
  },
});
