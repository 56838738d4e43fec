import { ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { KEY } from '../../platform/http/body/resource-key';
import { QueryBoolean } from '../../platform/http/page';
import { Optional } from '../../platform/http/validators';

export class ExportQuery {
  @ApiPropertyOptional({
    description: 'Only what the document of this owner declares. Without it everything that there is.',
    example: 'shop-repo',
    pattern: KEY.source,
  })
  @Optional()
  @Matches(KEY, { message: 'owner must be 1 to 64 of a-z 0-9 . _ -, the first a letter or a digit' })
  owner?: string;

  @ApiPropertyOptional({
    default: false,
    description:
      'With all settings, also those at their default: a change of any of them is seen by the next plan of the document.',
    example: true,
  })
  @Optional()
  @QueryBoolean()
  full?: boolean;
}
