import { isDeepStrictEqual } from 'node:util';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { DEFAULT_WARN_DAYS, MAX_WARN_DAYS } from '../../checker/certificate-warning';
import {
  MAX_CA_BYTES,
  MAX_CERTIFICATES,
  fromWireTls,
  normalServerName,
  type TlsSettings,
  toWireTls,
} from '../../checker/tls-settings';
import { Nullable, Optional } from '../../platform/http/validators';

/** The TLS settings in a body. They replace all stored ones except `warn_days`. */
export class TlsDto {
  @ApiPropertyOptional({
    default: true,
    description:
      '`false`: problems with the certificate do not make the check fail, but its expiry is still reported. ' +
      'Rejected for an endpoint with headers that may carry a credential, with a body, or with a URL parameter such ' +
      'as `token`, because anyone between the service and the target could collect them.',
  })
  @Optional()
  @IsBoolean()
  verify?: boolean;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_CA_BYTES,
    example: null,
    description:
      `At most ${MAX_CERTIFICATES} certificates in PEM, for your certificate authority or for the server itself. Only these are ` +
      'trusted, instead of the system’s certificates. Not used while `verify` is `false`.',
  })
  @Nullable()
  @IsString()
  @MaxLength(MAX_CA_BYTES)
  ca?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: 253,
    example: null,
    description:
      'A host name to use instead of the host in the URL. It is sent to the server (SNI), and the certificate must ' +
      'be valid for it. The `Host` header still contains the host in the URL.',
  })
  @Nullable()
  @IsString()
  @MaxLength(253)
  server_name?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 0,
    maximum: MAX_WARN_DAYS,
    default: DEFAULT_WARN_DAYS,
    description:
      'If the certificate expires within this number of days, the endpoint is degraded. Its alerts send a ' +
      'notification once, and again 7, 3, and 1 days before the expiry. `null` turns both off. If the field is ' +
      'absent, the value is kept.',
  })
  @Nullable()
  @IsInt()
  @Min(0)
  @Max(MAX_WARN_DAYS)
  warn_days?: number | null;
}

/** Don't rename: the class name appears in the public API document. */
export class EndpointTls {
  @ApiProperty({ example: true })
  verify!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The certificates in PEM. Visible to every role.',
  })
  ca!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'The host name in lower case.' })
  server_name!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: DEFAULT_WARN_DAYS,
    description: 'How many days before the certificate expires the warnings start. `null`: never.',
  })
  warn_days!: number | null;
}

/** The columns from which `tls` is built. */
export interface StoredTls {
  tls: TlsSettings | null;
  certificateWarnDays: number | null;
}

const DEFAULTS: TlsSettings = { verify: true, ca: null, serverName: null };

/** Returns the settings to store, or `null` if all of them are defaults. */
export function sentTls(sent: TlsDto | null): TlsSettings | null {
  const { verify = true, ca = null, server_name: name = null } = sent ?? {};
  const settings = fromWireTls({ verify, ca, server_name: name === null ? null : normalServerName(name) });
  return isDeepStrictEqual(settings, DEFAULTS) ? null : settings;
}

/** Returns the settings as every role sees them. Certificates are not secret. */
export function shownTls({ tls, certificateWarnDays }: StoredTls): EndpointTls {
  return { ...toWireTls(tls ?? DEFAULTS), warn_days: certificateWarnDays };
}
