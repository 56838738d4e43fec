import { ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { KEY } from '../../../platform/http/body/resource-key';
import { Optional } from '../../../platform/http/validators';
import { LOCAL_NAME, SHARED_PREFIX } from '../../../probe/probe-directory';

const PATTERN = new RegExp(`^(${SHARED_PREFIX})?${KEY.source.slice(1)}`);

/** Where a check that a client asks for is to be made. */
export class AskedLocation {
  @ApiPropertyOptional({
    description: `One of the locations of the endpoint; without it \`${LOCAL_NAME}\` where that is listed, else the first.`,
    example: LOCAL_NAME,
    pattern: PATTERN.source,
  })
  @Optional()
  @Matches(PATTERN, { message: `location must be ${LOCAL_NAME}, or the location of a probe` })
  location?: string;
}
