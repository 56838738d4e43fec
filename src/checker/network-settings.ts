import { ApiPropertyOptional } from '../platform/openapi/deferred-property';
import * as field from '../channel/config/config-fields';

export const IP_CHOICES = ['any', '4', '6', 'both'] as const;
export type IpChoice = (typeof IP_CHOICES)[number];

/** The settings of every type that connects to a host. Settings classes of such types extend it. */
export class NetworkSettings {
  @ApiPropertyOptional({
    enum: IP_CHOICES,
    default: 'any',
    title: 'IP version',
    description:
      'The IP versions to use. `any`: the first address that connects. `4` or `6`: only addresses of this version. `both`: one check over each version; if only one of them fails, the endpoint is degraded.',
  })
  @field.Optional(field.oneOf(IP_CHOICES))
  ip?: IpChoice;
}

/** Returns the IP version that a check is limited to, or `undefined` if it may use any. */
export const familyOf = (settings: object): 4 | 6 | undefined => {
  const { ip } = settings as NetworkSettings;
  return ip === '4' ? 4 : ip === '6' ? 6 : undefined;
};
