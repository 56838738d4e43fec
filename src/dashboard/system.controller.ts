import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../platform/access/caller';
import { Route } from '../platform/http/route.decorator';
import { SystemView } from './system.dto';
import { SystemService } from './system.service';

@ApiTags('System')
@Controller('api/v1/system')
export class SystemController {
  constructor(private readonly system: SystemService) {}

  @Route('GET', '', {
    access: 'admin',
    operationId: 'getSystem',
    summary: 'Get the state of the installation',
    description:
      'The state of the scheduler, outbox, database, and retention. Only for administrators of the organization that runs the installation.',
    returns: { ok: SystemView },
    problems: ['not_found'],
  })
  read(@CurrentCaller() caller: Caller): Promise<SystemView> {
    return this.system.read(caller);
  }
}
