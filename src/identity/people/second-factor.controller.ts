import { Body, Controller, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Route } from '../../platform/http/route.decorator';
import type { SignedIn } from '../session/session.service';
import { Held } from './held';
import { OwnSecondFactor } from './own-second-factor.service';
import {
  ConfirmSecondFactorDto,
  DraftSecondFactorDto,
  ProvenDto,
  RecoveryCodesView,
  SecondFactorDraftView,
} from './second-factor.dto';

const ONCE = 'The response contains a secret that is shown only this once.';

@ApiTags('Sign-in')
@Controller('auth/account/second-factor')
export class SecondFactorController {
  constructor(private readonly secondFactor: OwnSecondFactor) {}

  @Route('POST', '', {
    access: 'person',
    idempotencyKey: { refused: ONCE },
    operationId: 'draftSecondFactor',
    summary: 'Set up a second factor',
    description:
      'Returns a secret for an authenticator app (TOTP, RFC 6238). Confirm it with a code within ten minutes to turn it on.',
    returns: { created: SecondFactorDraftView },
    problems: ['origin_not_allowed'],
  })
  draft(
    @Held() held: SignedIn,
    @Body() dto: DraftSecondFactorDto,
    @Req() request: Request,
  ): Promise<SecondFactorDraftView> {
    return this.secondFactor.draft(held, dto, request);
  }

  @Route('POST', 'confirm', {
    access: 'person',
    idempotencyKey: { refused: ONCE },
    operationId: 'confirmSecondFactor',
    summary: 'Turn the second factor on',
    description:
      'Takes a code that the app shows. From then on, signing in with the password or a link requires a code. Ends all other sessions and returns ten recovery codes.',
    returns: { created: RecoveryCodesView },
    problems: ['origin_not_allowed'],
  })
  confirm(
    @Held() held: SignedIn,
    @Body() { code }: ConfirmSecondFactorDto,
    @Req() request: Request,
  ): Promise<RecoveryCodesView> {
    return this.secondFactor.confirm(held, code, request);
  }

  @Route('POST', 'recovery-codes', {
    access: 'person',
    idempotencyKey: { refused: ONCE },
    operationId: 'renewRecoveryCodes',
    summary: 'Create new recovery codes',
    description: 'Takes your password and a code. The older recovery codes no longer work.',
    returns: { created: RecoveryCodesView },
    problems: ['origin_not_allowed'],
  })
  renew(@Held() held: SignedIn, @Body() dto: ProvenDto, @Req() request: Request): Promise<RecoveryCodesView> {
    return this.secondFactor.renewRecoveryCodes(held, dto, request);
  }

  @Route('POST', 'remove', {
    access: 'person',
    idempotencyKey: { refused: 'A second factor can be removed only once.' },
    operationId: 'removeSecondFactor',
    summary: 'Turn the second factor off',
    description:
      'Takes your password, and a code or a recovery code. From then on, you sign in with the password alone.',
    returns: { noContent: 'The second factor is turned off.' },
    problems: ['origin_not_allowed'],
  })
  remove(@Held() held: SignedIn, @Body() dto: ProvenDto, @Req() request: Request): Promise<void> {
    return this.secondFactor.remove(held, dto, request);
  }
}
