import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, type AccessRule, type AuthenticatedRequest } from '../../platform/access/caller';
import { SERVED_BEYOND_QUOTA } from '../../platform/access/cost';
import { TokenBuckets } from '../../platform/capacity/token-bucket';
import { DatabaseClock } from '../../platform/database/database-clock';
import { problems } from '../../platform/problem/problem';
import { ChangedBytes } from './changed-bytes.service';
import { isDisabling, problemOfChanges } from './change-quota';
import { Quotas } from './quotas.service';

/** What is served beyond the quota adds entries too: so many at once, then so many a second. */
const BEYOND = { rate: 2, burst: 100 };
const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const RULES = new Set<AccessRule | undefined>(['write', 'admin']);

/**
 * After the body is read: refuses changes of an organization whose changes have added as much today as they may
 * (`changed_bytes_per_day`). Deleting, disabling and acknowledging go on. Two look-ups in memory, of which each reads the
 * database once in five seconds.
 */
@Injectable()
export class ChangeQuotaGuard implements CanActivate {
  private readonly beyond: TokenBuckets;

  constructor(
    private readonly reflector: Reflector,
    private readonly quotas: Quotas,
    private readonly changed: ChangedBytes,
    clock: DatabaseClock,
  ) {
    this.beyond = new TokenBuckets(BEYOND.rate, BEYOND.burst, () => clock.monotonic());
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (!request.caller || !CHANGING.has(request.method)) return true;
    const targets = [context.getHandler(), context.getClass()];
    if (!RULES.has(this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS, targets))) return true;
    const isServed = this.reflector.getAllAndOverride<true | undefined>(SERVED_BEYOND_QUOTA, targets) === true;
    return this.admit(request, request.caller.orgId, isServed);
  }

  private async admit({ method, body }: AuthenticatedRequest, orgId: string, isServed: boolean): Promise<true> {
    const limit = await this.quotas.limitOf(orgId, 'changed_bytes_per_day');
    const used = limit === null ? 0 : await this.changed.today(orgId);
    if (limit === null || used < limit) return true;
    if (!isServed && method !== 'DELETE' && !isDisabling(method, body))
      throw problemOfChanges(limit, used, this.changed.untilTomorrow());
    const wait = this.beyond.take(orgId);
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
    return true;
  }
}
