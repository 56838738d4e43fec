import type { Request, Response } from 'express';
import type { Problem } from '../problem/problem';
import { toProblemView } from '../problem/problem.view';
import { requestIdOf } from './request-id';

/**
 * Writes a problem as application/problem+json. Middleware that rejects floods calls this directly, because going
 * through Express and the filter costs more than the rejection itself.
 */
export function writeProblem(request: Request, response: Response, problem: Problem): void {
  const body = Buffer.from(JSON.stringify(toProblemView(problem, requestIdOf(request))));
  response.writeHead(problem.status, {
    ...problem.headers,
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': body.length,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
