import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../../access/caller';
import { Database, joinTransaction } from '../../database/database';
import { failpoint } from '../../observability/failpoints';
import { EntityTags } from '../precondition/entity-tags';
import { type AskedRequest, askedRequest } from './asked-request';
import { IdempotencyKeys, type StoredResponse } from './idempotency-keys';

/** The headers to store. They belong to the response itself, not to the connection or the request. */
const KEPT_HEADERS = ['location'] as const;

/** Runs a handler and stores its response in one transaction, or sends the stored response. See `@Idempotent`. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly database: Database,
    private readonly keys: IdempotencyKeys,
    private readonly tags: EntityTags,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const asked = askedRequest(http.getRequest<AuthenticatedRequest>());
    if (asked === null) return next.handle();
    const response = http.getResponse<Response>();
    return from(this.once(asked, response, () => lastValueFrom(next.handle())));
  }

  /** As in any transaction, `handle` may run again after a deadlock. Errors are not stored. */
  private async once(asked: AskedRequest, response: Response, handle: () => Promise<unknown>): Promise<unknown> {
    const { body, stored } = await this.database.transaction(async (tx) => {
      const known = await this.keys.begin(tx, asked);
      if (known) return { body: JSON.parse(known.body) as unknown, stored: known };
      const made = await joinTransaction(tx, handle);
      await failpoint('idempotency.after_change');
      await this.keys.store(tx, asked, responseOf(response, made, this.tags.ofResponse(made)));
      await failpoint('idempotency.before_commit');
      return { body: made, stored: null };
    });
    await failpoint('idempotency.after_commit');
    if (stored) {
      response.status(stored.status).setHeader('Idempotency-Replayed', 'true');
      for (const [name, value] of Object.entries(stored.headers)) response.setHeader(name, value);
    }
    return body;
  }
}

/** Parsed JSON serializes to the same text again, so a response is stored exactly as it was sent. */
function responseOf(response: Response, body: unknown, tag: string | null): StoredResponse {
  const headers = KEPT_HEADERS.flatMap((name): [string, string][] => {
    const value = response.getHeader(name);
    return typeof value === 'string' ? [[name, value]] : [];
  });
  if (tag !== null) headers.push(['etag', tag]);
  return { status: response.statusCode, headers: Object.fromEntries(headers), body: JSON.stringify(body ?? null) };
}
