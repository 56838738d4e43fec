import { ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { KEY } from '../../platform/http/body/resource-key';
import { QueryBoolean } from '../../platform/http/page';
import { Optional } from '../../platform/http/validators';

export class ExportQuery {
  @ApiPropertyOptional({
    description:
      'Export only the resources that the document of this owner declares. By default, everything is exported.',
    example: 'shop-repo',
    pattern: KEY.source,
  })
  @Optional()
  @Matches(KEY, { message: 'owner must be 1 to 64 of a-z 0-9 . _ - and start with a letter or a digit' })
  owner?: string;

  @ApiPropertyOptional({
    default: false,
    description:
      'Include settings that have their default value. The next plan of the document then shows a change of any of them.',
    example: true,
  })
  @Optional()
  @QueryBoolean()
  full?: boolean;
}
