import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { type Role, ROLES } from '../../platform/access/permissions';
import { PageQuery, QueryBoolean } from '../../platform/http/page';
import { Optional, ReadOnlyFieldsOf } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { IsPublicId } from '../../platform/ids/public-id.rule';
import { MOST_EMAIL } from '../person/email';
import type { MembershipSource } from '../person/person-row';

const SOURCES = ['invited', 'groups'] as const;

export class PeopleQuery extends PageQuery {
  @ApiPropertyOptional({ enum: ROLES, description: 'Return only members with this role.' })
  @IsOptional()
  @IsIn(ROLES)
  role?: Role;
}

export class RemovePersonQuery {
  @ApiPropertyOptional({
    description: 'Whether to also revoke the API keys that the member created in this organization.',
    default: false,
  })
  @IsOptional()
  @QueryBoolean()
  revoke_keys?: boolean;

  @ApiPropertyOptional({
    description:
      'Whether to end the open invitations that the member created. With `false`, the caller takes them over. The caller must then be an admin and another user.',
    default: true,
  })
  @IsOptional()
  @QueryBoolean()
  revoke_invitations?: boolean;
}

export class InvitationsQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Return only invitations that this user created.',
    example: 'per_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @IsOptional()
  @IsPublicId('person')
  created_by_id?: string;
}

/** An open link with which a member can set a new password. The token is shown only once, to the link's creator. */
export class OpenPasswordLinkView {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the user or key that created it.',
    example: 'Ada',
  })
  created_by!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-21T10:00:00.000Z' })
  expires_at!: string;
}

/** The name by which single sign-on or the proxy in front knows a person. For the proxy, `issuer` is `proxy`. */
export class AccountIdentityView {
  @ApiProperty({ example: 'https://login.example.com' })
  issuer!: string;

  @ApiProperty({ example: '8f14e45f' })
  subject!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;
}

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
    description:
      'How the user became a member: by invitation, or through a single sign-on group, which determines the role.',
    example: 'invited',
  })
  source!: MembershipSource;

  @ApiProperty({ example: true })
  has_password!: boolean;

  @ApiProperty({ description: 'Whether signing in with the password requires a second factor.', example: false })
  second_factor!: boolean;

  @ApiProperty({
    description: 'Whether the account is connected to single sign-on or to a reverse proxy.',
    example: false,
  })
  single_sign_on!: boolean;

  @ApiProperty({
    type: [AccountIdentityView],
    nullable: true,
    description:
      'The member’s identities at the single sign-on provider and the reverse proxy, if this is the member’s only organization. null for a member of another organization and for an operator.',
    example: [],
  })
  identities!: AccountIdentityView[] | null;

  @ApiProperty({
    type: OpenPasswordLinkView,
    nullable: true,
    description: 'The open link to set the member’s password, if someone in this organization created one.',
    example: null,
  })
  password_link!: OpenPasswordLinkView | null;

  @ApiProperty({ description: 'Whether the user may call the operator’s routes.', example: false })
  operator!: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the last use, accurate to the minute.',
    example: '2026-11-20T10:15:00.000Z',
  })
  last_seen_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  joined_at!: string;
}

@ReadOnlyFieldsOf(PersonView)
export class UpdatePersonDto {
  @ApiPropertyOptional({ enum: ROLES, example: 'write' })
  @Optional()
  @IsIn(ROLES)
  role?: Role;
}

export class PasswordLinkView {
  @ApiProperty({ description: 'The token of the link. Shown only this once.', example: 'rV8…' })
  token!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The link. null if `PUBLIC_URL` is not set.',
    example: 'https://status.example.com/#/sign-in/rV8…',
  })
  url!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-21T10:00:00.000Z' })
  expires_at!: string;
}

export class CreateInvitationDto {
  @ApiProperty({
    description: 'The email of the account that is created with the invitation. The service sends nothing to it.',
    example: 'bo@example.com',
  })
  @IsString()
  @MaxLength(MOST_EMAIL)
  email!: string;

  @ApiProperty({ enum: ROLES, example: 'write' })
  @IsIn(ROLES)
  role!: Role;
}

/** An invited person who has not joined yet. */
export class OpenInvitationView {
  @ApiProperty({ example: 'inv_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'bo@example.com' })
  email!: string;

  @ApiProperty({ enum: ROLES, example: 'write' })
  role!: Role;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the user or key that created the invitation.',
    example: 'Ada',
  })
  created_by!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The ID of the user who created the invitation. null for a key and for the command line.',
    example: 'per_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  created_by_id!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-27T10:00:00.000Z' })
  expires_at!: string;
}

export class CreatedOpenInvitationView extends OpenInvitationView {
  @ApiProperty({ description: 'The token of the invitation. Shown only this once.', example: 'rV8…' })
  token!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The link to send. null if `PUBLIC_URL` is not set.',
    example: 'https://status.example.com/#/sign-in/rV8…',
  })
  url!: string | null;
}

export interface MemberRow {
  id: string;
  name: string;
  email: string | null;
  role: Role;
  source: MembershipSource;
  hasPassword: boolean;
  hasSecondFactor: boolean;
  singleSignOn: boolean;
  /** As JSON, or `null` for an account that can access more than this organization. */
  identities: { issuer: string; subject: string; created_at: string }[] | null;
  linkBy: string | null;
  linkAt: Date | null;
  linkUntil: Date | null;
  isOperator: boolean;
  lastSeenAt: Date | null;
  joinedAt: Date;
}

/** Returns `null` if there is no open link. */
export const toOpenPasswordLinkView = (
  by: string | null,
  at: Date | null,
  until: Date | null,
): OpenPasswordLinkView | null =>
  at && until && { created_by: by, created_at: at.toISOString(), expires_at: until.toISOString() };

export const toPersonView = (row: MemberRow): PersonView => ({
  id: formatId('person', row.id),
  name: row.name,
  email: row.email,
  role: row.role,
  source: row.source,
  has_password: row.hasPassword,
  second_factor: row.hasSecondFactor,
  single_sign_on: row.singleSignOn,
  identities: row.identities?.map((one) => ({ ...one, created_at: new Date(one.created_at).toISOString() })) ?? null,
  password_link: toOpenPasswordLinkView(row.linkBy, row.linkAt, row.linkUntil),
  operator: row.isOperator,
  last_seen_at: row.lastSeenAt?.toISOString() ?? null,
  joined_at: row.joinedAt.toISOString(),
});

export interface OpenInvitationRow {
  id: string;
  email: string;
  role: Role;
  createdBy: string | null;
  createdById: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export const toOpenInvitationView = (row: OpenInvitationRow): OpenInvitationView => ({
  id: formatId('invitation', row.id),
  email: row.email,
  role: row.role,
  created_by: row.createdBy,
  created_by_id: row.createdById && formatId('person', row.createdById),
  created_at: row.createdAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
});
