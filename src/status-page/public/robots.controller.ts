import { Controller, Header } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Route } from '../../platform/http/route.decorator';
import { INSTALLATION_ROBOTS } from '../render/robots';

@ApiTags('Status pages')
@Controller('robots.txt')
export class RobotsController {
  @Route('GET', '', {
    access: 'public',
    operationId: 'getRobots',
    summary: 'Get the rules for search engines',
    description:
      'Lets search engines read status pages, and nothing else. The setting `indexed` of a page decides whether they ' +
      'may index it. Under the domain of a page, the rules follow that setting.',
    returns: { description: 'The rules.', content: { 'text/plain': { schema: { type: 'string' } } } },
  })
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=3600')
  show(): Promise<string> {
    return Promise.resolve(INSTALLATION_ROBOTS);
  }
}
