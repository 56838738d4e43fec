import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../platform/config/config';
import { Database, type Tx } from '../../platform/database/database';
import { problems } from '../../platform/problem/problem';
import { readUrl } from '../../platform/text/read-url';
import type { PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { SecondFactors } from '../person/second-factors.service';
import { toBase32, totpUri } from '../person/totp';
import { RateLimits } from '../rate-limits';
import { SessionService, type SignedIn } from '../session/session.service';
import { AccountMails } from './account-mails';
import { AccountService, recordOwn } from './account.service';
import { ownerOf } from './held';
import type { DraftSecondFactorDto, ProvenDto, RecoveryCodesView, SecondFactorDraftView } from './second-factor.dto';

const PRODUCT = 'Uptime';

@Injectable()
export class OwnSecondFactor {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly secondFactors: SecondFactors,
    private readonly accounts: AccountService,
    private readonly sessions: SessionService,
    private readonly mails: AccountMails,
    private readonly limits: RateLimits,
    private readonly config: Config,
  ) {}

  /**
   * Returns a secret for an authenticator app and replaces an older draft. The secret takes effect after `confirm` has
   * accepted one of its codes. Throws `validation_failed` at `/current_password`. Throws `conflict` for a person who
   * already has a second factor or has no password.
   */
  async draft(held: SignedIn, dto: DraftSecondFactorDto, request: Request): Promise<SecondFactorDraftView> {
    const person = await this.personOf(held);
    await this.accounts.requirePassword(person, dto.current_password, request);
    const secret = await this.secondFactors.draft(person.id);
    if (secret === null)
      throw problems.conflict('You already have a second factor. Turn it off before you set up another one.');
    const host = this.config.publicUrl === null ? null : readUrl(this.config.publicUrl)?.hostname;
    const issuer = host ? `${PRODUCT} ${host}` : PRODUCT;
    return { secret: toBase32(secret), uri: totpUri(secret, issuer, person.email ?? person.name) };
  }

  /**
   * Activates the draft with a code that the app shows. Ends all of the person's other sessions, and marks this one as
   * proven. Throws `validation_failed` at `/code`.
   */
  async confirm(held: SignedIn, code: string, request: Request): Promise<RecoveryCodesView> {
    const person = await this.personOf(held);
    const { codes } = await this.limits.guess(request, `second factor ${person.id}`, true, async () => {
      const made = await this.database.transaction((tx) => this.confirmIn(tx, held, person, code));
      return { isRight: made !== null, codes: made };
    });
    if (codes === null) throw this.refused('/code', code, request);
    return { recovery_codes: codes };
  }

  /**
   * Returns ten new recovery codes. The previous ones stop working. Throws `validation_failed` at the field that is
   * wrong.
   */
  async renewRecoveryCodes(held: SignedIn, dto: ProvenDto, request: Request): Promise<RecoveryCodesView> {
    const { id } = await this.requireBoth(held, dto, request);
    const codes = await this.database.transaction(async (tx) => {
      if (held.caller) await recordOwn(tx, held.caller.orgId, id, ['recovery_codes']);
      return this.secondFactors.newRecoveryCodes(tx, id);
    });
    return { recovery_codes: codes };
  }

  /**
   * Removes the second factor. The password alone is then enough to sign in. Throws the same errors as
   * `renewRecoveryCodes`.
   */
  async remove(held: SignedIn, dto: ProvenDto, request: Request): Promise<void> {
    const person = await this.requireBoth(held, dto, request);
    const { id } = person;
    await this.database.transaction(async (tx) => {
      await this.secondFactors.remove(tx, id);
      await this.mails.tell(tx, person, 'second_factor_removed');
      if (held.caller) await recordOwn(tx, held.caller.orgId, id, ['second_factor']);
    });
  }

  private async confirmIn(tx: Tx, held: SignedIn, person: PersonRow, code: string): Promise<string[] | null> {
    const personId = person.id;
    if (!(await this.secondFactors.confirm(tx, personId, code))) return null;
    const codes = await this.secondFactors.newRecoveryCodes(tx, personId);
    await this.mails.tell(tx, person, 'second_factor_added');
    await tx.query('DELETE FROM session WHERE person_id = $1 AND id IS DISTINCT FROM $2', [personId, held.id]);
    if (held.id !== null) await this.sessions.proven(tx, held.id);
    if (held.caller) await recordOwn(tx, held.caller.orgId, personId, ['second_factor']);
    return codes;
  }

  private async personOf(held: SignedIn): Promise<PersonRow> {
    const { id } = ownerOf(held);
    this.limits.countSignIn(id);
    if (!this.secondFactors.areOn)
      throw problems.conflict('Second factors are turned off on this installation (SECOND_FACTOR).');
    const person = await this.people.find(this.database, id);
    if (!person) throw problems.notFound();
    if (person.password === null)
      throw problems.conflict(
        'Only users with a password have a second factor here. If you sign in with a provider, the provider asks for its second factor.',
      );
    return person;
  }

  private async requireBoth(held: SignedIn, dto: ProvenDto, request: Request): Promise<PersonRow> {
    const person = await this.personOf(held);
    if (!person.hasSecondFactor) throw problems.conflict('You have no second factor.');
    await this.accounts.requirePassword(person, dto.current_password, request);
    const { isRight } = await this.limits.guess(request, `second factor ${person.id}`, true, async () => ({
      isRight: (await this.secondFactors.use(this.database, person.id, dto.second_factor ?? '')) !== null,
    }));
    if (!isRight) throw this.refused('/second_factor', dto.second_factor, request);
    return person;
  }

  private refused(pointer: string, typed: string | undefined, request: Request): Error {
    this.limits.refusal(request);
    const message =
      pointer === '/code'
        ? 'code must be the code that the app shows now. Check that the clock of your phone is right, or start again.'
        : 'second_factor must be a code that the app shows now, or an unused recovery code';
    return problems.validationFailed([{ pointer, code: typed === undefined ? 'required' : 'invalid_format', message }]);
  }
}
