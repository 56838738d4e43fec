import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { type Caller, type Role, ROLES } from '../../platform/access/caller';
import type { Config } from '../../platform/config/config';
import { Optional } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';

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
}

export class SessionOrganizationView {
  @ApiProperty({ example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Default' })
  name!: string;
}

/** Who is signed in. */
export class SessionView {
  @ApiProperty({ type: SessionOrganizationView })
  organization!: SessionOrganizationView;

  @ApiProperty({ description: 'Name of the API key the session stands for.', example: 'First admin key' })
  key_name!: string;

  @ApiProperty({ enum: ROLES, example: 'admin' })
  role!: Role;

  @ApiProperty({ description: 'Whether this is the organization that runs the installation.', example: true })
  is_default!: boolean;

  @ApiProperty({
    description: 'Whether the server has a mail account (`SMTP_URL`), for email channels without one of their own.',
    example: true,
  })
  has_mail_account!: boolean;
}

export class CreatedSessionView extends SessionView {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Only for the link of an invitation: the key itself, which signs in from now on. Shown this one time; null otherwise.',
    example: null,
  })
  api_key!: string | null;
}

export const toSessionView = (caller: Caller, { smtpUrl }: Pick<Config, 'smtpUrl'>): SessionView => ({
  organization: { id: formatId('organization', caller.orgId), name: caller.orgName },
  key_name: caller.keyName,
  role: caller.role,
  is_default: caller.isDefaultOrg,
  has_mail_account: smtpUrl !== null,
});
