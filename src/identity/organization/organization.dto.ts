import { ApiProperty } from '@nestjs/swagger';
import { IsName } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { type Role, ROLES } from '../../platform/access/caller';

/** A row of `organization`. */
export interface OrganizationRow {
  id: string;
  name: string;
  is_default: boolean;
  created_at: Date;
}

export class CreateOrganizationDto {
  @ApiProperty({ example: 'Acme', minLength: 1, maxLength: 255 })
  @IsName(255)
  name!: string;
}

export class OrganizationView {
  @ApiProperty({ example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Acme' })
  name!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;
}

export class FirstKeyView {
  @ApiProperty({ example: 'key_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'First admin key' })
  name!: string;

  @ApiProperty({ enum: ROLES, example: 'admin' })
  role!: Role;

  @ApiProperty({ description: 'The key itself. Shown this one time.', example: 'ums_a_…' })
  key!: string;
}

export class CreatedOrganizationView extends OrganizationView {
  @ApiProperty({ type: FirstKeyView, description: 'The organization’s first admin key.' })
  api_key!: FirstKeyView;
}

/** Who am I. */
export class CurrentOrganizationView {
  @ApiProperty({ example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Default' })
  name!: string;

  @ApiProperty({ description: 'Name of the API key that asks.', example: 'First admin key' })
  key_name!: string;

  @ApiProperty({ enum: ROLES, example: 'admin' })
  role!: Role;
}

export const toOrganizationView = (row: OrganizationRow): OrganizationView => ({
  id: formatId('organization', row.id),
  name: row.name,
  created_at: row.created_at.toISOString(),
});
