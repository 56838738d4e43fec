import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { Optional } from '../../platform/http/validators';
import { MOST_SECOND_FACTOR } from '../session/session.dto';

const MOST_PASSWORD = 1024;

export class DraftSecondFactorDto {
  @ApiPropertyOptional({ description: 'Your password.', example: 'three wise monkeys' })
  @Optional()
  @IsString()
  @MaxLength(MOST_PASSWORD)
  current_password?: string;
}

export class ConfirmSecondFactorDto {
  @ApiProperty({ description: 'A code that the app shows for the new secret.', example: '492039' })
  @IsString()
  @MaxLength(MOST_SECOND_FACTOR)
  code!: string;
}

export class ProvenDto extends DraftSecondFactorDto {
  @ApiPropertyOptional({ description: 'A code of the app, or a recovery code.', example: '492039' })
  @Optional()
  @IsString()
  @MaxLength(MOST_SECOND_FACTOR)
  second_factor?: string;
}

/** A secret for an authenticator app. It takes effect once it is confirmed. */
export class SecondFactorDraftView {
  @ApiProperty({
    description: 'The secret in base32, to type into an app.',
    example: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  })
  secret!: string;

  @ApiProperty({
    description: 'The secret as a URL for a QR code: RFC 6238 with SHA-1, 30 seconds, and 6 digits.',
    example: 'otpauth://totp/Uptime:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Uptime',
  })
  uri!: string;
}

export class RecoveryCodesView {
  @ApiProperty({
    type: [String],
    description: 'Ten codes, each of which replaces a code of the app once. Shown only this once.',
    example: ['k3m9-x2qa-7hwn-p4tz'],
  })
  recovery_codes!: string[];
}
