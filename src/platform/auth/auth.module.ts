import { Global, Module } from '@nestjs/common';
import { Cursors } from '../http/cursors';
import { ApiKeyController } from './api-key.controller';
import { ApiKeyService } from './api-key.service';
import { FirstStart } from './first-start';
import { OrganizationController } from './organization.controller';
import { OrganizationService } from './organization.service';
import { RequestLimits } from './request-limits';
import { ServerSecrets } from './server-secrets';

/** Organizations, API keys and what is signed with the installation's secrets. */
@Global()
@Module({
  controllers: [OrganizationController, ApiKeyController],
  providers: [ServerSecrets, ApiKeyService, OrganizationService, Cursors, FirstStart, RequestLimits],
  exports: [ServerSecrets, ApiKeyService, OrganizationService, Cursors, FirstStart, RequestLimits],
})
export class AuthModule {}
