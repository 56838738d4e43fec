import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';

/**
 * Passes a signal to the handler. The signal is aborted if the client disconnects before the response is complete. Use
 * it for long-running work.
 */
export const ClientLeft = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const response = context.switchToHttp().getResponse<Response>();
  const left = new AbortController();
  const leave = () => left.abort(new Error('the client has left'));
  if (response.destroyed) leave();
  else response.once('close', leave);
  return left.signal;
});
