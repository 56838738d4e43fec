import { Body, Controller, Query, Req, Res } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Route } from '../../platform/http/route.decorator';
import { SingleSignOnStartView, StartSingleSignOnDto } from './single-sign-on.dto';
import { SingleSignOnService } from './single-sign-on.service';

const TEXT = { type: 'string' as const };
/** Query parameters that the provider sends. Unknown ones are accepted, so that the browser is always redirected. */
type Sent = Record<string, unknown>;

@ApiTags('Sign-in')
@Controller('auth/oidc')
export class SingleSignOnController {
  constructor(private readonly singleSignOn: SingleSignOnService) {}

  @Route('POST', '', {
    access: 'public',
    needsAccounts: true,
    idempotencyKey: { refused: 'Each sign-in has its own state.' },
    operationId: 'startSingleSignOn',
    summary: 'Start single sign-on',
    description:
      'Returns the URL to send the browser to, and sets a cookie that identifies the browser when it comes back within ten minutes. If the provider is unavailable, you get 503; all other ways to sign in still work.',
    returns: { ok: SingleSignOnStartView },
    problems: [
      'unauthenticated',
      'origin_not_allowed',
      'not_found',
      'rate_limited',
      'validation_failed',
      'malformed_json',
      'temporarily_unavailable',
    ],
  })
  begin(
    @Body() dto: StartSingleSignOnDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SingleSignOnStartView> {
    return this.singleSignOn.begin(dto, request, response);
  }

  @Route('GET', 'callback', {
    access: 'public',
    needsAccounts: true,
    operationId: 'finishSingleSignOn',
    summary: 'Finish single sign-on',
    description:
      'The provider sends the browser to this URL. It always redirects to the dashboard, either with a session or to `#/sign-in/problem/<code>` with `denied`, `expired`, `mismatch`, `refused`, `unreachable`, `not_invited`, or `email_taken`.',
    returns: { redirect: 'To the dashboard.' },
    problems: ['not_found', 'rate_limited'],
  })
  @ApiQuery({
    name: 'code',
    required: false,
    schema: TEXT,
    description: 'The code that the provider sends. Any other parameters are accepted as well.',
  })
  @ApiQuery({ name: 'state', required: false, schema: TEXT, description: 'The state, as it was sent to the provider.' })
  finish(@Query() query: Sent, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.singleSignOn.finish(query, request, response);
  }
}
