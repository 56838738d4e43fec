import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { type Role, ROLES } from '../../platform/access/permissions';
import type { Config } from '../../platform/config/config';
import { Optional } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { IsPublicId } from '../../platform/ids/public-id.rule';
import { CallingPersonView } from '../organization/organization.dto';
import { MOST_EMAIL } from '../person/email';
import type { MembershipRow } from '../person/person-row';
import { lackOf } from '../person/rights';
import type { SignedIn } from './session.service';

/** Declares a field for a code from the person's authenticator app or a recovery code. */
export function SecondFactorField(): PropertyDecorator {
  const description =
    'For a user with a second factor: a code of the authenticator app, or a recovery code. Without it, the response is 401 `second_factor_required`.';
  return (target, name) => {
    for (const decorate of [
      // There is no example, because the sign-in example uses a key, which has no second factor.
      ApiPropertyOptional({ description }),
      Optional(),
      IsString(),
      MaxLength(MOST_SECOND_FACTOR),
    ])
      decorate(target, name);
  };
}
/** The maximum length. It exceeds a recovery code with spaces. */
export const MOST_SECOND_FACTOR = 64;

export class CreateSessionDto {
  @ApiPropertyOptional({
    description: 'An API key with any role. The session has the permissions of the key.',
    example: 'ums_a_…',
  })
  @Optional()
  @IsString()
  @MaxLength(200)
  api_key?: string;

  @ApiPropertyOptional({ description: 'Instead of a key: the token of a one-time sign-in link.', example: 'rV8…' })
  @Optional()
  @IsString()
  @MaxLength(200)
  sign_in_token?: string;

  @ApiPropertyOptional({
    description: 'Instead of a key or a token: the email of an account, with `password`.',
    example: 'ada@example.com',
  })
  @Optional()
  @IsString()
  @MaxLength(MOST_EMAIL)
  email?: string;

  @ApiPropertyOptional({
    description: 'Instead of a key or a token: the password of that account.',
    example: 'three wise monkeys',
  })
  @Optional()
  @IsString()
  @MaxLength(1024)
  password?: string;

  @SecondFactorField()
  second_factor?: string;
}

export class SingleSignOnView {
  @ApiProperty({ example: 'Single sign-on' })
  name!: string;
}

export class SignInMethodsView {
  @ApiProperty({ description: 'Whether users can sign in with email and password.', example: true })
  password!: boolean;

  @ApiProperty({ description: 'Whether API keys can sign in.', example: true })
  api_key!: boolean;

  @ApiProperty({ type: SingleSignOnView, nullable: true, example: null })
  single_sign_on!: SingleSignOnView | null;

  @ApiProperty({ description: 'Whether no account exists yet.', example: false })
  needs_account!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      '`PUBLIC_URL` if it is https, otherwise null. Browsers can sign in there or at localhost. Anywhere else, they drop the session cookie over plain http.',
    example: 'https://uptime.example.com',
  })
  secure_url!: string | null;
}

export class MoveSessionDto {
  @ApiProperty({ description: 'The ID of one of your organizations.', example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  @IsPublicId('organization')
  organization_id!: string;
}

export class SessionOrganizationView {
  @ApiProperty({ example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Default' })
  name!: string;
}

export class OwnOrganizationView extends SessionOrganizationView {
  @ApiProperty({ enum: ROLES, example: 'admin' })
  role!: Role;
}

export class SessionPersonView extends CallingPersonView {
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  email!: string | null;
}

export class SessionView {
  @ApiProperty({
    type: SessionOrganizationView,
    nullable: true,
    description:
      'The organization that requests in this session are for. null for a user who is not a member of any organization, or no longer a member of this one.',
  })
  organization!: SessionOrganizationView | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the API key that the session was created from. null for a user.',
    example: 'First admin key',
  })
  key_name!: string | null;

  @ApiProperty({ enum: ROLES, nullable: true, description: 'The role in this organization.', example: 'admin' })
  role!: Role | null;

  @ApiProperty({ description: 'Whether this is the organization that runs the installation.', example: true })
  is_default!: boolean;

  @ApiProperty({
    description: 'Whether the server has an SMTP account (`SMTP_URL`), for email channels that do not have their own.',
    example: true,
  })
  has_mail_account!: boolean;

  @ApiProperty({
    type: SessionPersonView,
    nullable: true,
    description: 'The user who is signed in. null for a key.',
    example: null,
  })
  person!: SessionPersonView | null;

  @ApiProperty({ description: 'Whether the user may call the operator’s routes.', example: false })
  operator!: boolean;

  @ApiProperty({
    type: [OwnOrganizationView],
    description: 'The organizations that the user can open in this session. Empty for a key.',
    example: [],
  })
  organizations!: OwnOrganizationView[];

  @ApiProperty({
    description:
      'Whether the user’s groups grant more permissions than this session has. Permissions from groups apply to sessions that started with single sign-on or behind the reverse proxy, for a day after the groups were last reported.',
    example: false,
  })
  needs_single_sign_on!: boolean;

  @ApiProperty({
    description:
      'Whether an organization of the user requires a second factor that this session does not have. The user gets access after setting one up, or after signing in with it.',
    example: false,
  })
  needs_second_factor!: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the session ends, even if it is in use. null with AUTH=off.',
    example: '2026-11-27T10:00:00.000Z',
  })
  expires_at!: string | null;
}

export class CreatedSessionView extends SessionView {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Only for an invitation link that version 0.1.0 created: the API key that the user can sign in with from now on. Shown only this once; null otherwise.',
    example: null,
  })
  api_key!: string | null;
}

type ShownSession = Pick<SignedIn, 'caller' | 'person' | 'via' | 'hasSecondFactor'> & { expiresAt: Date | null };

/** Returns the view of a session, including the person's organizations. `expiresAt` is `null` with AUTH=off. */
export function toSessionView(
  { caller, person, via, hasSecondFactor, expiresAt }: ShownSession,
  memberships: readonly MembershipRow[],
  { smtpUrl }: Pick<Config, 'smtpUrl'>,
  now: Date,
): SessionView {
  const lacks = memberships.map((one) => lackOf(one, { via, hasSecondFactor, confirmedAt: one.confirmedAt }, now));
  const open = memberships.filter((_, i) => lacks[i] === null);
  return {
    organization: caller && { id: formatId('organization', caller.orgId), name: caller.orgName },
    key_name: person ? null : (caller?.keyName ?? null),
    role: caller?.role ?? null,
    is_default: caller?.isDefaultOrg === true,
    has_mail_account: smtpUrl !== null,
    person: person && { id: formatId('person', person.id), name: person.name, email: person.email },
    operator: person?.isOperator === true,
    organizations: open.map(({ orgId, orgName, role }) => ({
      id: formatId('organization', orgId),
      name: orgName,
      role,
    })),
    needs_single_sign_on: lacks.includes('single_sign_on') || person?.isOperatorElsewhere === true,
    needs_second_factor: lacks.includes('second_factor'),
    expires_at: expiresAt?.toISOString() ?? null,
  };
}
