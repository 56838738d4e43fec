import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, type AccessRule, type AuthenticatedRequest } from '../../platform/access/caller';
import { SERVED_BEYOND_QUOTA } from '../../platform/access/cost';
import { TokenBuckets } from '../../platform/capacity/token-bucket';
import { DatabaseClock } from '../../platform/database/database-clock';
import { problems } from '../../platform/problem/problem';
import { isDisabling } from './change-quota';
import { ChangeQuota } from './change-quota.service';

/** Rate limit for changes that are still allowed above the quota, because they also add entries. */
const BEYOND = { rate: 2, burst: 100 };
const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const RULES = new Set<AccessRule | undefined>(['incidents.respond', 'alerts.mute', 'write', 'admin']);

/**
 * Rejects an organization's changes once they have reached today's quota (`changed_bytes_per_day`). Runs after the body
 * is read. Deleting, disabling, and acknowledging are still allowed. Cost: see `ChangeQuota`.
 */
@Injectable()
export class ChangeQuotaGuard implements CanActivate {
  private readonly beyond: TokenBuckets;

  constructor(
    private readonly reflector: Reflector,
    private readonly changes: ChangeQuota,
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
    const refusal = await this.changes.refusal(orgId);
    if (!refusal) return true;
    if (!isServed && method !== 'DELETE' && !isDisabling(method, body)) throw refusal;
    const wait = this.beyond.take(orgId);
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
    return true;
  }
}
