import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { type Role, ROLES } from '../../platform/access/caller';
import type { Config } from '../../platform/config/config';
import { Optional } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { IsPublicId } from '../../platform/ids/public-id.rule';
import { CallingPersonView } from '../organization/organization.dto';
import { MOST_EMAIL } from '../person/email';
import type { MembershipRow } from '../person/person-row';
import { lackOf } from '../person/rights';
import type { SignedIn } from './session.service';

/** Declares a code of the person's authenticator app, or a recovery code. */
export function SecondFactorField(): PropertyDecorator {
  const description =
    'For a person with a second factor: a code of the authenticator app, or a recovery code. Without it the response is 401 `second_factor_required`.';
  return (target, name) => {
    for (const decorate of [
      // Without an example, because the example of a sign-in uses a key, which has no second factor.
      ApiPropertyOptional({ description }),
      Optional(),
      IsString(),
      MaxLength(MOST_SECOND_FACTOR),
    ])
      decorate(target, name);
  };
}
/** More characters than a recovery code with spaces has. */
export const MOST_SECOND_FACTOR = 64;

export class CreateSessionDto {
  @ApiPropertyOptional({ description: 'An API key of any role; the session gets its rights.', example: 'ums_a_…' })
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
    description: 'Instead of either: the e-mail of an account, with `password`.',
    example: 'ada@example.com',
  })
  @Optional()
  @IsString()
  @MaxLength(MOST_EMAIL)
  email?: string;

  @ApiPropertyOptional({
    description: 'Instead of either: the password of that account.',
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
  @ApiProperty({ description: 'Whether people sign in with e-mail and password.', example: true })
  password!: boolean;

  @ApiProperty({ description: 'Whether a key signs in.', example: true })
  api_key!: boolean;

  @ApiProperty({ type: SingleSignOnView, nullable: true, example: null })
  single_sign_on!: SingleSignOnView | null;

  @ApiProperty({ description: 'Whether nobody has an account yet.', example: false })
  needs_account!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      '`PUBLIC_URL` if it is https, else null. Browsers sign in there, or at localhost: anywhere else over plain http they drop the session cookie.',
    example: 'https://uptime.example.com',
  })
  secure_url!: string | null;
}

export class MoveSessionDto {
  @ApiProperty({ description: 'One of your organizations.', example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
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
      'What requests with this session are for; null for a person who is in none, or not any more in this one.',
  })
  organization!: SessionOrganizationView | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Name of the API key the session stands for; null for a person.',
    example: 'First admin key',
  })
  key_name!: string | null;

  @ApiProperty({ enum: ROLES, nullable: true, description: 'In this organization.', example: 'admin' })
  role!: Role | null;

  @ApiProperty({ description: 'Whether this is the organization that runs the installation.', example: true })
  is_default!: boolean;

  @ApiProperty({
    description: 'Whether the server has a mail account (`SMTP_URL`), for email channels without one of their own.',
    example: true,
  })
  has_mail_account!: boolean;

  @ApiProperty({
    type: SessionPersonView,
    nullable: true,
    description: 'Whose account it is; null for a key.',
    example: null,
  })
  person!: SessionPersonView | null;

  @ApiProperty({ description: 'Whether the person may call the operator’s routes.', example: false })
  operator!: boolean;

  @ApiProperty({
    type: [OwnOrganizationView],
    description: 'The organizations that are open to the person in this session; empty for a key.',
    example: [],
  })
  organizations!: OwnOrganizationView[];

  @ApiProperty({
    description:
      'Whether the person has more rights, given by groups, than this session opens. Such rights hold in sessions of the single sign-on, and behind the proxy, for a day after the groups were last listed.',
    example: false,
  })
  needs_single_sign_on!: boolean;

  @ApiProperty({
    description:
      'Whether an organization of the person requires a second factor that this session has not proven. It opens once the person has set one up, or signs in with it.',
    example: false,
  })
  needs_second_factor!: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the session ends, however much it is used; null with AUTH=off.',
    example: '2026-11-27T10:00:00.000Z',
  })
  expires_at!: string | null;
}

export class CreatedSessionView extends SessionView {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Only for a link by which 0.1.0 invited somebody to a key: the key itself, which signs in from now on. Shown this one time; null otherwise.',
    example: null,
  })
  api_key!: string | null;
}

type ShownSession = Pick<SignedIn, 'caller' | 'person' | 'via' | 'hasSecondFactor'> & { expiresAt: Date | null };

/** Returns the view of a session, with the organizations of its person. `expiresAt` is `null` with AUTH=off. */
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
