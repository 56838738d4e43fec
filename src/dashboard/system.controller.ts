import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, type Caller, CurrentCaller } from '../platform/access/caller';
import { Problems } from '../platform/problem/problems.decorator';
import { SystemView } from './system.dto';
import { SystemService } from './system.service';

@ApiTags('System')
@Controller('api/v1/system')
export class SystemController {
  constructor(private readonly system: SystemService) {}

  @Get()
  @Access('admin')
  @ApiOperation({
    operationId: 'getSystem',
    summary: 'Get the state of the installation',
    description: 'Scheduler, outbox, database and retention. Only for administrators of the organization that runs it.',
  })
  @ApiOkResponse({ type: SystemView })
  @Problems('not_found')
  read(@CurrentCaller() caller: Caller): Promise<SystemView> {
    return this.system.read(caller);
  }
}
