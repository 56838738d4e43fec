import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, MaxLength } from 'class-validator';
import { Optional } from '../../platform/http/validators';

export class StartSingleSignOnDto {
  @ApiPropertyOptional({
    description: 'The token of an invitation, or of the link of the start: whoever comes back joins by it.',
    example: 'rV8…',
  })
  @Optional()
  @IsString()
  @MaxLength(200)
  token?: string;

  @ApiPropertyOptional({
    description: 'Whether the account that is signed in gets the identity, instead of an account of its own.',
    example: false,
  })
  @Optional()
  @IsBoolean()
  connect?: boolean;
}

export class SingleSignOnStartView {
  @ApiProperty({
    description: 'Where the browser goes from here: the page of the provider.',
    example: 'https://login.example.com/authorize?client_id=uptime&response_type=code',
  })
  location!: string;
}
