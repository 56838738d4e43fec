import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  isOutOfConnections,
  isRetryable,
  isUnavailable,
  sqlState,
  violatedConstraint,
} from '../database/postgres-errors';
import { requestIdOf } from './request-id';
import { Problem, problems } from '../problem/problem';
import { writeProblem } from './write-problem';

/**
 * Writes every thrown error as application/problem+json. An error outside the catalog is a bug. It is logged and
 * becomes a 500.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const id = requestIdOf(request);
    const problem = this.toProblem(error, request, id);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    writeProblem(request, response, problem);
  }

  private toProblem(error: unknown, request: Request, id: string): Problem {
    if (error instanceof Problem) return error;
    if (error instanceof HttpException) return this.fromFramework(error, request);
    if (error instanceof URIError) return problems.notFound();
    return this.fromDatabase(error, id) ?? this.bug(error, id);
  }

  private fromFramework(error: HttpException, request: Request): Problem {
    if (error.getStatus() === 404) {
      const allowed = allowedMethods(request);
      if (allowed.length === 0 || allowed.includes(request.method)) return problems.notFound();
      const list = allowed.join(', ');
      return new Problem('method_not_allowed', `Allowed methods: ${list}.`, [], { Allow: list });
    }
    // A path that can't be decoded doesn't exist.
    if (error.getStatus() === 400) return problems.notFound();
    return this.bug(error, requestIdOf(request));
  }

  private fromDatabase(error: unknown, id: string): Problem | null {
    const state = sqlState(error);
    if (isRetryable(error)) {
      const why = isOutOfConnections(error)
        ? 'the database has no connection left'
        : 'another transaction was in the way';
      this.logger.warn(`${id}: ${why}: ${text(error)}`);
      return problems.temporarilyUnavailable();
    }
    if (isUnavailable(error)) {
      this.logger.warn(`${id}: the database is not available: ${text(error)}`);
      return problems.storageUnavailable();
    }
    if (state === '23505') return problems.conflict(KEYS.test(violatedConstraint(error) ?? '') ? TAKEN_KEY : TAKEN);
    if (state === '23503') return problems.notFound();
    if (state !== null && /^(22|54)/.test(state)) {
      this.logger.error(`${id}: a value reached the database that validation should have refused: ${text(error)}`);
      return new Problem('validation_failed', 'A value cannot be stored.');
    }
    return null;
  }

  private bug(error: unknown, id: string): Problem {
    this.logger.error(`${id}: ${text(error)}`, error instanceof Error ? error.stack : undefined);
    return new Problem('internal_error', `Report this problem with the request ID ${id}.`);
  }
}

/** Matches the unique indexes on resource keys. */
const KEYS = /_external_key$|^probe_(shared_)?key$/;
const TAKEN = 'A resource with the same identity already exists.';
const TAKEN_KEY =
  'The key is already used by another resource of this kind in the same place. Choose another key, or null for none.';

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface RouteLayer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/**
 * Returns the methods that Express's route table allows for a path, or none for an unknown path. By design, Nest
 * responds to a wrong method with 404. The filter uses this function to send 405 instead.
 */
function allowedMethods(request: Request): string[] {
  const { stack } = request.app.router as unknown as { stack: RouteLayer[] };
  const methods = new Set<string>();
  for (const layer of stack) {
    if (!layer.route || !layer.match(request.path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  methods.delete('_ALL');
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
