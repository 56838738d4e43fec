import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { originOf } from '../../audit/authorship';
import { Database } from '../../platform/database/database';
import { problems } from '../../platform/problem/problem';
import { Passwords } from '../person/passwords.service';
import { PersonStore } from '../person/person-store';
import { requireOwnOrigin } from '../session/browser-sessions';
import { PersonSignIn } from '../session/person-sign-in';
import type { SessionView } from '../session/session.dto';
import type { SetPasswordDto } from './account.dto';
import { AccountMails } from './account-mails';
import { Tokens } from './tokens';

/** Sets a new password with a link, for people who have forgotten theirs. */
@Injectable()
export class PasswordReset {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly tokens: Tokens,
    private readonly passwords: Passwords,
    private readonly signIns: PersonSignIn,
    private readonly mails: AccountMails,
  ) {}

  /**
   * Sets the password, ends all of the person's sessions, and opens a new one. Throws `unauthenticated` for any other
   * kind of token.
   */
  async set(dto: SetPasswordDto, request: Request, response: Response): Promise<SessionView> {
    requireOwnOrigin(request);
    const token = await this.tokens.find(dto.token, request, ['password']);
    const person = await this.people.find(this.database, token.personId ?? '');
    if (!person) throw problems.unauthenticated();
    const wrong = this.passwords.findingsIn(dto.password, person);
    if (wrong.length > 0) throw problems.validationFailed(wrong);
    const hasSecondFactor = await this.signIns.proveSecondFactor(person, dto.second_factor, request);
    const like = person.password ?? (await this.people.saltOf(this.database, person.email));
    const password = await this.passwords.hash(dto.password, like);
    await this.database.transaction(async (tx) => {
      await this.tokens.use(tx, dto.token, token, request);
      await this.people.setPassword(tx, person.id, password);
      await this.mails.tell(tx, person, 'password_set_by_link', originOf(request));
    });
    return this.signIns.begin(person, 'sign_in_link', request, response, { hasSecondFactor });
  }
}
