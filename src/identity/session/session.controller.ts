import { Body, Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../../platform/access/caller';
import { RefusesIdempotencyKey } from '../../platform/http/idempotency/idempotent.decorator';
import { RefusesIfMatch } from '../../platform/http/precondition/precondition.decorator';
import { Problems, PublicProblems } from '../../platform/problem/problems.decorator';
import { CreateSessionDto, SessionView } from './session.dto';
import { SignInService } from './sign-in.service';

@ApiTags('Sessions')
@Controller('auth/session')
export class SessionController {
  constructor(private readonly signInService: SignInService) {}

  @Post()
  @Access('public')
  @RefusesIdempotencyKey('Signing in begins a session each time.')
  @ApiOperation({
    operationId: 'signIn',
    summary: 'Sign in to the dashboard',
    description:
      'Exchanges an API key (or the token of a one-time sign-in link) for an httpOnly session cookie with the rights of ' +
      'that key: 12 hours idle, 7 days at most, gone with the key. For browsers; programs send the key itself: a key signs ' +
      'in 20 times at once, then once every ten seconds.',
    security: [],
  })
  @ApiCreatedResponse({ type: SessionView })
  @PublicProblems(
    'malformed_json',
    'payload_too_large',
    'unsupported_media_type',
    'validation_failed',
    'unauthenticated',
    'origin_not_allowed',
    'rate_limited',
    'internal_error',
    'storage_unavailable',
  )
  signIn(
    @Body() credentials: CreateSessionDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView> {
    return this.signInService.signIn(credentials, request, response);
  }

  @Get()
  @Access('public')
  @ApiOperation({
    operationId: 'getSession',
    summary: 'Who is signed in',
    description: 'Who the browser’s session cookie stands for; 204 for nobody.',
    security: [],
  })
  @ApiOkResponse({ type: SessionView })
  @ApiNoContentResponse({ description: 'Nobody is signed in.' })
  @PublicProblems('origin_not_allowed', 'rate_limited', 'storage_unavailable')
  current(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<SessionView | undefined> {
    return this.signInService.current(request, response);
  }

  @Delete()
  @Access('read')
  @RefusesIfMatch('A session has no settings that could change.')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'signOut',
    summary: 'Sign out',
    description: 'Ends the session and removes its cookie.',
  })
  @ApiNoContentResponse({ description: 'Signed out.' })
  @Problems('origin_not_allowed')
  signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    return this.signInService.signOut(request, response);
  }
}
