import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';

/** A signal that is aborted when the client closes the connection before it has the response, for work that lasts. */
export const ClientLeft = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const response = context.switchToHttp().getResponse<Response>();
  const left = new AbortController();
  const leave = () => left.abort(new Error('the client has left'));
  if (response.destroyed) leave();
  else response.once('close', leave);
  return left.signal;
});
