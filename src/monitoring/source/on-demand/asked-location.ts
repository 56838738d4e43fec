import { ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { Optional } from '../../../platform/http/validators';
import { LOCAL_NAME, LOCATION_PATTERN } from '../../../probe/probe-directory';

export class AskedLocation {
  @ApiPropertyOptional({
    description: `One of the endpoint’s locations. Defaults to \`${LOCAL_NAME}\` if the endpoint has it, otherwise the first one.`,
    example: LOCAL_NAME,
    pattern: LOCATION_PATTERN,
  })
  @Optional()
  @Matches(new RegExp(LOCATION_PATTERN), { message: `location must be ${LOCAL_NAME}, or the location of a probe` })
  location?: string;
}
