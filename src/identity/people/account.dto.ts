import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { type Role, ROLES } from '../../platform/access/permissions';
import { IsName, Optional, ReadOnlyFieldsOf } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { MOST_EMAIL } from '../person/email';
import { OwnOrganizationView, SecondFactorField, SessionOrganizationView } from '../session/session.dto';
import { SIGN_INS, type SignIn } from '../person/sign-ins';
import type { OpenLink } from '../session/sign-in-links';
import type { MembershipRow, MembershipSource, PersonRow } from '../person/person-row';
import type { SecondFactorState } from '../person/second-factors.service';
import { AccountIdentityView, OpenPasswordLinkView, toOpenPasswordLinkView } from './people.dto';

const TOKEN = { description: 'The token of a link (`/#/sign-in/<token>`).', example: 'rV8…' };
/**
 * The maximum bytes of a password field. This is more than 256 characters need. The password rule rejects passwords
 * that are too long.
 */
const MOST_PASSWORD = 1024;

export class TokenDto {
  @ApiProperty(TOKEN)
  @IsString()
  @MaxLength(200)
  token!: string;
}

export class CreateAccountDto extends TokenDto {
  @ApiProperty({ example: 'Ada', minLength: 1, maxLength: 255 })
  @IsName(255)
  name!: string;

  @ApiProperty({
    description:
      '15 to 256 characters. Common passwords are rejected, and so are passwords that consist of words related to the user or the installation.',
    example: 'three wise monkeys',
  })
  @IsString()
  @MaxLength(MOST_PASSWORD)
  password!: string;

  @ApiPropertyOptional({
    description:
      'The email of the first account, used to sign in. Leave it out for an invitation, which already has an email.',
    example: 'ada@example.com',
  })
  @Optional()
  @IsString()
  @MaxLength(MOST_EMAIL)
  email?: string;
}

export class SetPasswordDto extends TokenDto {
  @ApiProperty({ example: 'three wise monkeys' })
  @IsString()
  @MaxLength(MOST_PASSWORD)
  password!: string;

  @SecondFactorField()
  second_factor?: string;
}

export const LINK_KINDS = ['first_account', 'sign_in', 'invitation', 'password'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

export class LinkView {
  @ApiProperty({ enum: LINK_KINDS, example: 'invitation' })
  kind!: LinkKind;

  @ApiProperty({
    type: SessionOrganizationView,
    nullable: true,
    description: 'The organization that the link gives access to. null for a link to an account.',
  })
  organization!: SessionOrganizationView | null;

  @ApiProperty({
    enum: ROLES,
    nullable: true,
    description: 'The role in the organization that the link grants.',
    example: 'write',
  })
  role!: Role | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The email of the account that is created with the link.',
    example: 'bo@example.com',
  })
  email!: string | null;

  @ApiProperty({
    description:
      'Whether this browser is signed in with an account that has this email. No one else can find out whether an account exists.',
    example: false,
  })
  has_account!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the user or key that created the invitation. null if there is no name.',
    example: 'Ada',
  })
  invited_by!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-27T10:00:00.000Z' })
  expires_at!: string;
}

const SOURCES = ['invited', 'groups'] as const;

export class AccountOrganizationView extends OwnOrganizationView {
  @ApiProperty({ enum: SOURCES, example: 'invited' })
  source!: MembershipSource;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  joined_at!: string;
}

export class SecondFactorView {
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  since!: string;

  @ApiProperty({ description: 'The number of recovery codes that are left.', example: 10 })
  recovery_codes_left!: number;
}

/** All data that is stored about a person. */
export class AccountView {
  @ApiProperty({ example: 'per_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  email!: string | null;

  @ApiProperty({ example: 'Ada' })
  name!: string;

  @ApiProperty({ description: 'Whether the user may call the operator’s routes.', example: false })
  operator!: boolean;

  @ApiProperty({ example: true })
  has_password!: boolean;

  @ApiProperty({
    type: SecondFactorView,
    nullable: true,
    description: 'The second factor that is required to sign in with a password or a link. null if none is set up.',
  })
  second_factor!: SecondFactorView | null;

  @ApiProperty({
    type: [AccountIdentityView],
    description: 'The user’s identities at the single sign-on provider or the reverse proxy.',
    example: [],
  })
  identities!: AccountIdentityView[];

  @ApiProperty({
    type: OpenPasswordLinkView,
    nullable: true,
    description: 'The open link that someone can use to set your password. Setting a new password invalidates it.',
    example: null,
  })
  password_link!: OpenPasswordLinkView | null;

  @ApiProperty({ type: [AccountOrganizationView] })
  organizations!: AccountOrganizationView[];

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T10:15:00.000Z' })
  last_sign_in_at!: string | null;
}

@ReadOnlyFieldsOf(AccountView)
export class UpdateAccountDto {
  @ApiPropertyOptional({ example: 'Ada Lovelace', minLength: 1, maxLength: 255 })
  @Optional()
  @IsName(255)
  name?: string;

  @ApiPropertyOptional({
    description: 'A new password. Changing it ends all other sessions.',
    example: 'three wise monkeys',
  })
  @Optional()
  @IsString()
  @MaxLength(MOST_PASSWORD)
  password?: string;

  @ApiPropertyOptional({ description: 'The current password, if there is one.', example: 'a mill by the river' })
  @Optional()
  @IsString()
  @MaxLength(MOST_PASSWORD)
  current_password?: string;
}

export class IdentityQuery {
  @ApiProperty({
    description: 'The issuer of the identity, as returned by `GET /auth/account`.',
    example: 'https://login.example.com',
  })
  @IsString()
  @MaxLength(255)
  issuer!: string;

  @ApiProperty({ description: 'The subject of the identity, as returned by `GET /auth/account`.', example: '8f14e45f' })
  @IsString()
  @MaxLength(255)
  subject!: string;
}

export class OwnSessionView {
  @ApiProperty({ example: 'ses_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The time of the last request, accurate to the minute.',
    example: '2026-11-20T10:15:00.000Z',
  })
  last_seen_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-27T10:00:00.000Z' })
  expires_at!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The IP address that started the session.',
    example: '203.0.113.7',
  })
  address!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The browser’s `User-Agent`.',
    example: 'Mozilla/5.0 …',
  })
  user_agent!: string | null;

  @ApiProperty({ enum: SIGN_INS, nullable: true, example: 'password' })
  via!: SignIn | null;

  @ApiProperty({ description: 'Whether this is the session that sends the request.', example: true })
  current!: boolean;
}

export interface IdentityRow {
  issuer: string;
  subject: string;
  createdAt: Date;
}

/** Rows in other tables that belong to a person. */
export interface AccountRows {
  identities: readonly IdentityRow[];
  memberships: readonly MembershipRow[];
  link: OpenLink | null;
  secondFactor: SecondFactorState | null;
}

export const toAccountView = (
  person: PersonRow,
  { identities, memberships, link, secondFactor }: AccountRows,
): AccountView => ({
  id: formatId('person', person.id),
  email: person.email,
  name: person.name,
  operator: person.isOperator,
  has_password: person.password !== null,
  second_factor: secondFactor && {
    since: secondFactor.since.toISOString(),
    recovery_codes_left: secondFactor.recoveryCodesLeft,
  },
  identities: identities.map(({ issuer, subject, createdAt }) => ({
    issuer,
    subject,
    created_at: createdAt.toISOString(),
  })),
  password_link: toOpenPasswordLinkView(link?.by ?? null, link?.at ?? null, link?.until ?? null),
  organizations: memberships.map(({ orgId, orgName, role, source, joinedAt }) => ({
    id: formatId('organization', orgId),
    name: orgName,
    role,
    source,
    joined_at: joinedAt.toISOString(),
  })),
  created_at: person.createdAt.toISOString(),
  last_sign_in_at: person.lastSignInAt?.toISOString() ?? null,
});
