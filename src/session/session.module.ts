import { Global, Module } from '@nestjs/common';
import { SESSION_AUTHENTICATOR } from '../platform/auth/session-authenticator';
import { SessionController } from './session.controller';
import { SessionService } from './session.service';
import { SignInLinks } from './sign-in-links';
import { SignInService } from './sign-in.service';

/** Browser sessions; global, because the guard of every route asks for them. */
@Global()
@Module({
  controllers: [SessionController],
  providers: [
    SessionService,
    SignInLinks,
    SignInService,
    { provide: SESSION_AUTHENTICATOR, useExisting: SessionService },
  ],
  exports: [SESSION_AUTHENTICATOR, SignInLinks],
})
export class SessionModule {}
