import { createSecureContext } from 'node:tls';
import { ApiProperty, ApiPropertyOptional } from '../../platform/openapi/deferred-property';
import * as field from '../../channel/config/config-fields';
import type { SettingsProblem } from '../checker';
import { NetworkSettings } from '../network-settings';
import { pem } from '../settings-fields';

const USER = { max: 255, accepts: (name: string) => !name.includes(':'), form: 'a user name without a colon' };

/** A user name and a password. */
export class HttpCredentials {
  @ApiProperty({ description: 'The user name.', example: 'monitor', maxLength: 255 })
  @field.Required(field.text(USER))
  user!: string;

  @ApiProperty({ description: 'The password.', example: 'correct horse battery', format: 'password', maxLength: 512 })
  @field.Required(field.text({ max: 512 }))
  @field.Secret()
  password!: string;
}

/** A client of an OAuth 2 authorization server. */
export class OAuthClient {
  @ApiProperty({
    description: 'The URL of the token endpoint.',
    example: 'https://login.example.com/oauth2/token',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.Dialed()
  token_url!: string;

  @ApiProperty({ description: 'The ID of the client.', example: 'uptime-monitor', maxLength: 255 })
  @field.Required(field.text({ max: 255 }))
  client_id!: string;

  @ApiProperty({
    description: 'The secret of the client.',
    example: 'correct horse battery',
    format: 'password',
    maxLength: 1024,
  })
  @field.Required(field.text({ max: 1024 }))
  @field.Secret()
  client_secret!: string;

  @ApiPropertyOptional({
    description: 'The scopes to request, separated by spaces.',
    example: 'health.read',
    maxLength: 1024,
  })
  @field.Optional(field.text({ max: 1024 }))
  scope?: string;

  @ApiPropertyOptional({
    description: 'The audience to request, which some servers require.',
    example: 'https://api.example.com',
    maxLength: 1024,
  })
  @field.Optional(field.text({ max: 1024 }))
  audience?: string;
}

/** The certificate with which the check identifies itself. */
export class ClientCertificate {
  @ApiProperty({
    description: 'The certificate in PEM, followed by its chain.',
    // prose: the marker of the PEM format
    example: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----',
  })
  @field.Required(pem('certificates'))
  certificate!: string;

  @ApiProperty({
    description: 'The key in PEM, not encrypted.',
    // prose: the marker of the PEM format
    example: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----',
    format: 'password',
  })
  @field.Required(pem('a key'))
  @field.Secret()
  key!: string;
}

const SENT = 'Only sent to the host in the URL, not to other hosts of redirects. Replaces an `Authorization` header.';

/** The settings of HTTP and HTTPS checks, except those that are fields of the endpoint. */
export class HttpSettings extends NetworkSettings {
  @ApiPropertyOptional({
    type: HttpCredentials,
    title: 'Basic authentication',
    description: `Credentials for Basic authentication (RFC 7617). ${SENT}`,
  })
  @field.Optional(field.object(() => HttpCredentials))
  @field.Nested(() => HttpCredentials)
  basic?: HttpCredentials;

  @ApiPropertyOptional({
    type: HttpCredentials,
    title: 'Digest authentication',
    description: `Credentials for Digest authentication (RFC 7616) with MD5 or SHA-256. ${SENT}`,
  })
  @field.Optional(field.object(() => HttpCredentials))
  @field.Nested(() => HttpCredentials)
  digest?: HttpCredentials;

  @ApiPropertyOptional({
    type: OAuthClient,
    title: 'OAuth 2 client credentials',
    description: `A client that gets access tokens with the client credentials grant (RFC 6749). A token is used until it expires. ${SENT}`,
  })
  @field.Optional(field.object(() => OAuthClient))
  @field.Nested(() => OAuthClient)
  oauth2?: OAuthClient;

  @ApiPropertyOptional({
    type: ClientCertificate,
    title: 'Client certificate',
    description: 'A certificate for servers that require one (mTLS). Only used with the host in the URL.',
  })
  @field.Optional(field.object(() => ClientCertificate))
  @field.Nested(() => ClientCertificate)
  client_certificate?: ClientCertificate;
}

/** Returns the problems of settings whose parts are valid. */
export function httpSettingsProblems(settings: HttpSettings, url: string): SettingsProblem[] {
  const { client_certificate: identity } = settings;
  const given = (['basic', 'digest', 'oauth2'] as const).filter((key) => settings[key] !== undefined);
  const [, second] = given;
  const found: SettingsProblem[] = second
    ? [{ key: second, code: 'invalid_format', message: `cannot be combined with ${given[0]}: send one of them` }]
    : [];
  if (identity && !/^https:/i.test(url))
    found.push({ key: 'client_certificate', code: 'invalid_format', message: 'needs a URL that starts with https://' });
  if (identity && !isPair(identity))
    found.push({
      key: 'client_certificate/key',
      code: 'invalid_format',
      message: 'must be the key of the certificate, in PEM without encryption',
    });
  return found;
}

function isPair({ certificate, key }: ClientCertificate): boolean {
  try {
    createSecureContext({ cert: certificate, key });
    return true;
  } catch {
    return false;
  }
}
