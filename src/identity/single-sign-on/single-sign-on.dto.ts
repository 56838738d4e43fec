import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, MaxLength } from 'class-validator';
import { Optional } from '../../platform/http/validators';

export class StartSingleSignOnDto {
  @ApiPropertyOptional({
    description:
      'The token of an invitation or of the first-start link. The user joins the organization after signing in.',
    example: 'rV8…',
  })
  @Optional()
  @IsString()
  @MaxLength(200)
  token?: string;

  @ApiPropertyOptional({
    description: 'Whether to connect the identity to the account that is signed in, instead of creating a new account.',
    example: false,
  })
  @Optional()
  @IsBoolean()
  connect?: boolean;
}

export class SingleSignOnStartView {
  @ApiProperty({
    description: 'The URL of the provider that the browser goes to next.',
    example: 'https://login.example.com/authorize?client_id=uptime&response_type=code',
  })
  location!: string;
}
