import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { Optional } from '../../platform/http/validators';
import { BADGE_WINDOWS, type BadgeWindow } from '../render/status-badge';

export class PublicStatusQuery {
  @ApiPropertyOptional({
    enum: Object.keys(BADGE_WINDOWS),
    description:
      'For `.svg`: the uptime over this window instead of the state, and how much of it was watched if that is little.',
  })
  @Optional()
  @IsIn(Object.keys(BADGE_WINDOWS))
  uptime?: BadgeWindow;
}
