import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { Database } from '../../platform/database/database';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { type CreateApiKeyDto, keySettings, type MadeKeyRow, toApiKeyView } from '../api-key/api-key.dto';
import { ApiKeyService } from '../api-key/api-key.service';
import { Quotas } from '../quota/quotas.service';
import type { CreatedInvitationView } from './invitation.dto';
import { INVITATION_MS, SignInLinks } from './sign-in-links';

/**
 * People who are invited: a key that has no secret yet, and a link that signs in once and gives it one. A key has one link at
 * most, so the quota of keys bounds both.
 */
@Injectable()
export class InvitationService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyService,
    private readonly links: SignInLinks,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {}

  /** The result holds the token of the link, this one time. */
  create(orgId: string, dto: CreateApiKeyDto): Promise<CreatedInvitationView> {
    const expiresAt = this.keys.expiryOf(dto);
    const invitedUntil = this.until(expiresAt);
    const wanted = { name: dto.name.trim(), role: dto.role, expiresAt, invitedUntil };
    return this.database.transaction(async (tx) => {
      await this.quotas.claim(tx, orgId, { api_keys: 1 });
      const row = await this.keys.storeInvited(tx, orgId, wanted);
      await recordChange(tx, { orgId, action: 'create', resource: 'api_key', id: row.id, after: keySettings(row) });
      return { ...toApiKeyView(row), sign_in_token: await this.links.invite(tx, row.id, invitedUntil) };
    });
  }

  /** Another link for an invited key (uuid), instead of the one it had. Throws `conflict` for a key that was made otherwise. */
  renew(orgId: string, id: string): Promise<CreatedInvitationView> {
    return this.database.transaction(async (tx) => {
      const [row] = await tx.query<MadeKeyRow>(
        'SELECT *, created_by AS made_by FROM api_key WHERE org_id = $1 AND id = $2 FOR UPDATE',
        [orgId, id],
      );
      if (!row) throw problems.notFound();
      const refusal = refusalOf(row, this.clock.now());
      if (refusal !== null) throw problems.conflict(refusal);
      const invitedUntil = this.until(row.expires_at);
      await tx.query('UPDATE api_key SET invitation_expires_at = $2, invitation_accepted_at = NULL WHERE id = $1', [
        id,
        invitedUntil,
      ]);
      const renewed = { ...row, invitation_expires_at: invitedUntil, invitation_accepted_at: null };
      const [before, after] = [keySettings(row), keySettings(renewed)];
      await recordChange(tx, { orgId, action: 'update', resource: 'api_key', id, before, after });
      return { ...toApiKeyView(renewed), sign_in_token: await this.links.invite(tx, id, invitedUntil) };
    });
  }

  /** No longer than the key itself. */
  private until(keyExpiresAt: Date | null): Date {
    const at = this.clock.now().getTime() + INVITATION_MS;
    return new Date(Math.min(at, keyExpiresAt?.getTime() ?? Infinity));
  }
}

/** Why no link can be made for the key; `null` when one can. */
function refusalOf({ invitation_expires_at, expires_at }: MadeKeyRow, now: Date): string | null {
  if (invitation_expires_at === null)
    return 'This key was not made by an invitation: programs may use it, and a new link would replace it.';
  return expires_at !== null && expires_at <= now ? 'This key has expired. Invite the person again.' : null;
}
