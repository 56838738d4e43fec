import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { Optional } from '../platform/http/validators';

export class StreamQuery {
  @ApiPropertyOptional({
    description: 'For clients that cannot set the header `Last-Event-ID`, which wins over this.',
    example: 'ev_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsString()
  @MaxLength(200)
  last_event_id?: string;
}
