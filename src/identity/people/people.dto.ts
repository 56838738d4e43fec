import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { type Role, ROLES } from '../../platform/access/caller';
import { PageQuery, QueryBoolean } from '../../platform/http/page';
import { ReadOnlyField } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { MOST_EMAIL } from '../person/email';
import type { MembershipSource } from '../person/person-row';

const SOURCES = ['invited', 'groups'] as const;

export class PeopleQuery extends PageQuery {
  @ApiPropertyOptional({ enum: ROLES, description: 'Only people with this role.' })
  @IsOptional()
  @IsIn(ROLES)
  role?: Role;
}

export class RemovePersonQuery {
  @ApiPropertyOptional({
    description: 'Also revokes the API keys that they made in this organization.',
    default: false,
  })
  @IsOptional()
  @QueryBoolean()
  revoke_keys?: boolean;
}

/** A member of the organization. */
export class PersonView {
  @ApiProperty({ example: 'per_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Bo' })
  name!: string;

  @ApiProperty({ type: String, nullable: true, example: 'bo@example.com' })
  email!: string | null;

  @ApiProperty({ enum: ROLES, example: 'write' })
  role!: Role;

  @ApiProperty({
    enum: SOURCES,
    description: 'Invited, or by a group of the single sign-on, which decides the role.',
    example: 'invited',
  })
  source!: MembershipSource;

  @ApiProperty({ example: true })
  has_password!: boolean;

  @ApiProperty({ description: 'Whether the single sign-on, or a proxy in front, knows them.', example: false })
  single_sign_on!: boolean;

  @ApiProperty({ description: 'May call the operator’s routes.', example: false })
  operator!: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'To the minute.',
    example: '2026-11-20T10:15:00.000Z',
  })
  last_seen_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  joined_at!: string;
}

export class UpdatePersonDto {
  @ReadOnlyField() id?: unknown;
  @ReadOnlyField() name?: unknown;
  @ReadOnlyField() email?: unknown;
  @ReadOnlyField() source?: unknown;
  @ReadOnlyField() has_password?: unknown;
  @ReadOnlyField() single_sign_on?: unknown;
  @ReadOnlyField() operator?: unknown;
  @ReadOnlyField() last_seen_at?: unknown;
  @ReadOnlyField() joined_at?: unknown;

  @ApiProperty({ enum: ROLES, example: 'write' })
  @IsIn(ROLES)
  role!: Role;
}

/** A link that sets a password. */
export class PasswordLinkView {
  @ApiProperty({ description: 'Shown this one time.', example: 'rV8…' })
  token!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The link; null without `PUBLIC_URL`.',
    example: 'https://status.example.com/#/sign-in/rV8…',
  })
  url!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-21T10:00:00.000Z' })
  expires_at!: string;
}

export class CreateInvitationDto {
  @ApiProperty({
    description: 'Of the account that is made from it. Nothing is sent there.',
    example: 'bo@example.com',
  })
  @IsString()
  @MaxLength(MOST_EMAIL)
  email!: string;

  @ApiProperty({ enum: ROLES, example: 'write' })
  @IsIn(ROLES)
  role!: Role;
}

/** Somebody who has been invited and has not joined yet. */
export class OpenInvitationView {
  @ApiProperty({ example: 'inv_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'bo@example.com' })
  email!: string;

  @ApiProperty({ enum: ROLES, example: 'write' })
  role!: Role;

  @ApiProperty({ type: String, nullable: true, description: 'The person, or the key, that invited.', example: 'Ada' })
  created_by!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-27T10:00:00.000Z' })
  expires_at!: string;
}

export class CreatedOpenInvitationView extends OpenInvitationView {
  @ApiProperty({ description: 'Shown this one time.', example: 'rV8…' })
  token!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The link to send; null without `PUBLIC_URL`.',
    example: 'https://status.example.com/#/sign-in/rV8…',
  })
  url!: string | null;
}

/** A member as read. */
export interface MemberRow {
  id: string;
  name: string;
  email: string | null;
  role: Role;
  source: MembershipSource;
  hasPassword: boolean;
  singleSignOn: boolean;
  isOperator: boolean;
  lastSeenAt: Date | null;
  joinedAt: Date;
}

export const toPersonView = (row: MemberRow): PersonView => ({
  id: formatId('person', row.id),
  name: row.name,
  email: row.email,
  role: row.role,
  source: row.source,
  has_password: row.hasPassword,
  single_sign_on: row.singleSignOn,
  operator: row.isOperator,
  last_seen_at: row.lastSeenAt?.toISOString() ?? null,
  joined_at: row.joinedAt.toISOString(),
});

export interface OpenInvitationRow {
  id: string;
  email: string;
  role: Role;
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export const toOpenInvitationView = (row: OpenInvitationRow): OpenInvitationView => ({
  id: formatId('invitation', row.id),
  email: row.email,
  role: row.role,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
});
