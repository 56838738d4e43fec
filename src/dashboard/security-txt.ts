import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { DAY_MS } from '../platform/time/time-units';

/** RFC 9116 recommends less than a year. */
const VALID_DAYS = 90;

/** The security.txt file, with the contact for reporting vulnerabilities in this installation (RFC 9116). */
@Injectable()
export class SecurityTxt {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Throws: `not_found` if `SECURITY_CONTACT` isn't set. */
  text(): string {
    const { securityContact, publicUrl } = this.config;
    if (securityContact === null) throw problems.notFound();
    const today = Math.floor(this.clock.now().getTime() / DAY_MS);
    const expires = new Date((today + VALID_DAYS) * DAY_MS).toISOString();
    const canonical = publicUrl === null ? [] : [`Canonical: ${publicUrl}/.well-known/security.txt`];
    return [`Contact: ${securityContact}`, `Expires: ${expires}`, ...canonical, ''].join('\n');
  }
}
